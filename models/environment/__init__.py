"""Environment variables, and the folders of a person's files. Knows no other room of the project."""

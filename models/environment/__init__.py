"""Environment variables, and the folders of a person's files. Imports no other package of the project."""

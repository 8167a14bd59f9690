"""Environment variables, and the folders of a person's files. Imports settings and errors alone."""

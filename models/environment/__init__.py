"""What the environment settles: variables, and where a person's files lie. Knows no room of the project."""

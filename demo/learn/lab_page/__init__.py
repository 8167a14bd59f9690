"""The labs of the course: a list, and the open lab."""

"""The labs of the course: a list, and the one that is open."""

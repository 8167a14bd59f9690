"""A small button in a line, which opens further controls."""

"""A small button in a line that opens what belongs to it."""

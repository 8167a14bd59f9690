"""The roles of a table's columns."""

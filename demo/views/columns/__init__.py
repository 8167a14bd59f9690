"""What each column of a table is taken for."""

"""The report of an evaluation as data, as a table, and as one page that works offline."""

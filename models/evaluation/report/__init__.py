"""What an evaluation found, as data, as a table, and as one page that works offline."""

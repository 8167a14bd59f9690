"""One file for each tab; they do not know each other."""

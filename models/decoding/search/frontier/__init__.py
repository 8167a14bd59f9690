"""Which rows a search expands next."""

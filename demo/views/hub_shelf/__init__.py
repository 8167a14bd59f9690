"""Models of the Hub: a curated list, a field for any other, progress and problems at each."""

"""Models of the Hub: a curated list, a field for any other, and the progress and problems of each."""

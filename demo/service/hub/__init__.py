"""Models of the Hub: which are here, which are on their way, what may be added."""

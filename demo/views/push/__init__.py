"""Before and after a push to the Hub."""

"""The state of a push to the Hub."""

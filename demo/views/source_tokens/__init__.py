"""A text as the network will read it."""

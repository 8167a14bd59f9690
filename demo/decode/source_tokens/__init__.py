"""A text as the network reads it."""

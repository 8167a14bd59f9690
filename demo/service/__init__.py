"""The work of the server: decode, compare, evaluate, train, fetch models."""

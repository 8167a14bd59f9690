"""One decoding of a visitor: its turn, how far it is, how it is stopped."""

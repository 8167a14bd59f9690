"""One decoding, looked at from every side."""

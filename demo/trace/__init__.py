"""One decoding, shown from every side."""

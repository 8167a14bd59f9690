"""One search at several beam widths: what its score, its quality and its length do, and what may be said of it."""

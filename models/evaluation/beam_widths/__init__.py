"""One search at several beam widths: its score, quality and length, and what may be said of them."""

"""One search at several beam widths: its score, quality and length, and findings about them."""

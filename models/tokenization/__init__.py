"""From a source to what a network reads, and from token ids back to text. Knows no torch."""

"""Views of attention heads: their weights in one output, and their roles over many."""

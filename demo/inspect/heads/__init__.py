"""The view of attention heads."""

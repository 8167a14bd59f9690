"""Comparisons: one text decoded in several ways, or two side by side, with sentences about them."""

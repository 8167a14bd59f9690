"""Runs comparisons: decodes row by row and says how far it is."""

"""Judges outputs: scores a given text, and attributes a wrong output to the search or the model."""

"""Runs on disk: one folder, and the collection of all. Starts nothing and knows no torch."""

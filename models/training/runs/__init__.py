"""Runs on disk: one folder, and the collection of all. Starts no process and imports no torch."""

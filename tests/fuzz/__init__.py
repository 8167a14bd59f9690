"""Seeded random calls of all that the page offers, documented or not: `python -m tests.fuzz --seed 1`."""

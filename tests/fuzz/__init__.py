"""Seeded random calls of everything that the page offers: `python -m tests.fuzz --seed 1`."""

"""Runs on disk: what their folders say, one and all of them. Starts nothing and knows no torch."""

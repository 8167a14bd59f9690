"""Decoding: one search loop, strategies that only choose, and a trace that records."""

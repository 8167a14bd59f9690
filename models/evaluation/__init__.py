"""Evaluation: what a checkpoint scores on pairs, with the signature of every score."""

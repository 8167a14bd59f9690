"""Evaluation: the scores of checkpoints on pairs, with the signature of every score."""

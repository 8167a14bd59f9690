"""Data before training."""

"""Checkpoints on disk: reading, writing, finding them."""

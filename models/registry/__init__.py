"""Checkpoints on disk: how to find, read and write them."""

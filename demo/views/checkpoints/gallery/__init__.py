"""All checkpoints in chapters."""

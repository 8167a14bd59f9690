"""All checkpoints at a glance, in chapters."""

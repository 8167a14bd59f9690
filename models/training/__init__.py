"""Training: typed configuration in, typed events and checkpoints out."""

"""The data of a training run, before training."""

"""The role of a head or a unit over a whole test set, and the loss without it."""

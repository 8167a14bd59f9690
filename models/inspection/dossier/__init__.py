"""The role of a head or a unit over a whole test set, and the loss without it; on the page: A head's role."""

"""What a head or a unit does over a whole test set, and what is lost without it."""

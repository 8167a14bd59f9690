"""The controls of the Decode tab: checkpoint, source, strategy, a better translation."""

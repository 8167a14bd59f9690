"""The Checkpoints tab: every checkpoint, in the order of the field's history."""

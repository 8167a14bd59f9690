"""The saved parts of a run: its folders, its checkpoint with a card, and its state for resuming."""

"""Views of the Checkpoints tab."""

"""One training run: its state, curves, samples and probe sentence."""

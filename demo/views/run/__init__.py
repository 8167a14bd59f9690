"""One training run: where it stands, its curves, samples and probe sentence."""

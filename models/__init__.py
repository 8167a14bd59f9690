"""The library: networks, decoding, traces, checkpoints and training. Imports nothing of the page."""

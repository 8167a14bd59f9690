"""The library: networks, decoding, traces, checkpoints and training. Knows no user interface."""

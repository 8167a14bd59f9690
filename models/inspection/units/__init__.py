"""Units of recurrent networks: their states over time, their order, patterns of them, and clamping."""

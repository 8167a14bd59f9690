"""Units of recurrent networks: states over time, measures that rank units, patterns, and clamping."""

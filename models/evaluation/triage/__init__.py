"""Why an output is bad: one cause for each, its evidence, and what would help."""

"""Tasks whose pairs are generated: the right answer is known, so exact match is the metric."""

"""The Compare tab: one text by many strategies, by two checkpoints, or two texts of a minimal pair."""

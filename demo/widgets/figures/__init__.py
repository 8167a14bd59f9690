"""Figures in two halves: one computes a frozen dataclass from results, the other draws it."""

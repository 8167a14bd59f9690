"""Figures of trainings and evaluations: curves over updates, lengths of sources and beam widths."""

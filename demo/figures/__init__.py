"""Figures: one file each, a half that computes and a half that draws."""

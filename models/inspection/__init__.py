"""Explanations of a network's predictions by several methods."""

"""Sinusoidal positions in PyTorch, and their dot products."""

from models.networks.transformer.model import sinusoidal_positions

WIDTH = 32
PLACES = 64

width = 2 * round(WIDTH / 2)  # even widths only
positions = sinusoidal_positions(PLACES, width).double()

# The product of a position with itself is half the width: divided by that it is 1.
products = positions @ positions.T / (width / 2)
print("near", float(products[0, 1]))
print("half_as_far", float(products[0, 16]))
print("far", float(products[0, 32]))

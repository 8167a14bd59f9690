"""Sinusoidal positions in PyTorch, and their dot products."""

import math

import torch

WIDTH = 32
PLACES = 64

# Sines in the first half, cosines in the second; even widths only.
width = 2 * round(WIDTH / 2)
rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
angles = torch.arange(PLACES).unsqueeze(1) * rates
positions = torch.cat([angles.sin(), angles.cos()], dim=1).double()

# The product of a position with itself is half the width: divided by that it is 1.
products = positions @ positions.T / (width / 2)
print("near", float(products[0, 1]))
print("half_as_far", float(products[0, 16]))
print("far", float(products[0, 32]))

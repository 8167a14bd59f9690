"""Sinusoidal positions (Vaswani et al. 2017)."""

import math

import torch


def sinusoids(length, width):
    """A row for each position: sines in the first half, cosines in the second."""
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    angles = torch.arange(length).unsqueeze(1) * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1)

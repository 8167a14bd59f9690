"""The weights of a soft dictionary's keys."""

import torch


def weights_of(distances, kernel, bandwidth):
    """Convex weights of the keys by their distances (..., N), all 0 where the kernel reaches none."""
    u = distances / bandwidth
    if kernel == "gaussian":  # its logarithm, since far from all keys each term is 0 in floating point
        return (-0.5 * u.square()).softmax(dim=-1)
    if kernel == "boxcar":
        heights = (u <= 1 + 1e-9).double()
    else:
        heights = (1 - (u.square() if kernel == "epanechnikov" else u)).clamp(min=0)
    whole = heights.sum(dim=-1, keepdim=True)
    return torch.where(whole > 0, heights / whole, 0.0)

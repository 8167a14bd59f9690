"""Attention as a soft dictionary in PyTorch: a kernel on numbers, then dot products of wide vectors."""

import math

import torch
from torch import Tensor

QUERY, BANDWIDTH = 2.5, 0.5
keys = [0.1, 0.4, 0.7, 0.9, 1.2, 1.5, 1.8, 2.0, 2.3, 3.3, 3.6, 3.8, 4.1, 4.4, 4.6, 4.9]
values = [0.2, 1.2, 2.3, 2.3, 2.4, 3.2, 4.0, 4.2, 3.9, 2.7, 3.3, 2.4, 2.7, 3.0, 2.6, 3.2]
k = torch.tensor(keys, dtype=torch.float64)
v = torch.tensor(values, dtype=torch.float64)


def gaussian(u: Tensor) -> Tensor:
    """Return weights that reach every key."""
    return (-0.5 * u.square()).exp()


def boxcar(u: Tensor) -> Tensor:
    """Return equal weights for the keys within one bandwidth, of which there may be none."""
    return (u.abs() <= 1).double()


def entropy(weights: Tensor) -> float:
    """Return the entropy in nats: log N for equal weights, 0 for a single one."""
    return float(torch.special.entr(weights).sum())


# Nadaraya-Watson: the answer is the mean of the values, weighted by a convex combination.
heights = gaussian((k - QUERY) / BANDWIDTH)
weights = heights / heights.sum()
print("keys", len(k))
print("answer", float(weights @ v))
print("weight_sum", float(weights.sum()))
print("largest_weight", float(weights.max()))
print("top_key", float(k[weights.argmax()]))
print("entropy", entropy(weights))
print("choices", math.exp(entropy(weights)))
print("mean_value", float(v.mean()))

# Each value predicted from all others: the diagonal is left out.
heights = gaussian((k.unsqueeze(1) - k) / BANDWIDTH).fill_diagonal_(0)
others = heights / heights.sum(dim=1, keepdim=True)
print("left_out_error", float((others @ v - v).square().mean().sqrt()))

# A narrow boxcar may reach no key: there is no answer then, and nothing to divide by.
print("boxcar_reaches", int(boxcar((k - 2.8) / 0.25).sum()))

# Scores of random vectors: the same draw as in the lab, 10 keys for each of 100 queries.
for width in (4, 256):
    generator = torch.Generator().manual_seed(5)
    torch.randn(10, generator=generator, dtype=torch.float64)  # the values
    q = torch.randn(100, width, generator=generator, dtype=torch.float64)
    wide = torch.randn(100, 10, width, generator=generator, dtype=torch.float64)
    scores = (wide @ q.unsqueeze(-1)).squeeze(-1)
    for name, divisor in (("dot", 1.0), ("scaled_dot", math.sqrt(width))):
        soft = (scores / divisor).softmax(dim=1)
        print(f"{name}_{width}_largest_weight", float(soft[0].max()))
        print(f"{name}_{width}_entropy", entropy(soft[0]))

"""Attention as a soft dictionary in PyTorch: a kernel on numbers (Nadaraya-Watson)."""

import math
import re

import torch
from parts.kernels import weights_of

TEXT = (
    "0.1 0.2; 0.4 1.2; 0.7 2.3; 0.9 2.3; 1.2 2.4; 1.5 3.2; 1.8 4.0; 2.0 4.2; "
    "2.3 3.9; 3.3 2.7; 3.6 3.3; 3.8 2.4; 4.1 2.7; 4.4 3.0; 4.6 2.6; 4.9 3.2"
)
QUERY = 2.5
KERNEL = "gaussian"  # or "boxcar", "epanechnikov", "triangular"
BANDWIDTH = 0.5

lines = [line.replace(",", ".").split() for line in re.split(r"[\n;；]", TEXT) if line.strip()]
k, v = torch.tensor(sorted((float(key), float(value)) for key, value in lines), dtype=torch.float64).T

# The answer is the mean of the values, weighted by a convex combination.
weights = weights_of((k - QUERY).abs(), KERNEL, BANDWIDTH)
reached = int((weights > 0).sum())
entropy = float(torch.special.entr(weights).sum())
print("keys", len(k))
if reached:
    print("answer", float(weights @ v))
print("keys_reached", reached)
print("weight_sum", float(weights.sum()))
print("largest_weight", float(weights.max()))
print("top_key", float(k[weights.argmax()]))
print("entropy", entropy)
print("effective_keys", math.exp(entropy) if reached else 0)
print("mean_value", float(v.mean()))

# Each value predicted from all others: the diagonal is left out.
others = weights_of((k.unsqueeze(1) - k).abs().fill_diagonal_(math.inf), KERNEL, BANDWIDTH)
if bool((others.sum(dim=1) > 0).all()):
    print("left_out_error", float((others @ v - v).square().mean().sqrt()))

"""Attention as a soft dictionary of words in PyTorch: a kernel on the edit distance."""

import re
from collections import defaultdict

import torch
from parts.kernels import weights_of

WORDS = "house casa; mouse ratón; horse caballo; cat gato; dog perro; tree árbol; bread pan; water agua"
WORD = "hause"
KERNEL = "gaussian"  # or "boxcar", "epanechnikov", "triangular"
BANDWIDTH = 1.0

pairs = [line.split() for line in re.split(r"[\n;；]", WORDS) if line.strip()]


def edit_distance(one: str, other: str) -> int:
    """Return the number of letters to insert, delete or replace (Levenshtein 1966)."""
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one, 1):
        above, row[0] = row[0], index
        for column, other_letter in enumerate(other, 1):
            above, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, above + (letter != other_letter)),
            )
    return row[-1]


query = WORD.strip().lower()
distances = torch.tensor([edit_distance(query, key.lower()) for key, _ in pairs], dtype=torch.float64)
weights = weights_of(distances, KERNEL, BANDWIDTH)

# A value may belong to several keys: its share of the answer is the sum of their weights.
shares: dict[str, float] = defaultdict(float)
for (_, value), weight in zip(pairs, weights.tolist(), strict=True):
    shares[value] += weight
print("keys", len(pairs))
print("keys_reached", int((weights > 0).sum()))
if weights.sum() > 0:
    print("answer", max(shares, key=lambda value: shares[value]))
print("largest_share", max(shares.values()))
print("largest_weight", float(weights.max()))
print("entropy", float(torch.special.entr(weights).sum()))

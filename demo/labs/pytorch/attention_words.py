"""Attention as a soft dictionary of words in PyTorch: a kernel on the edit distance."""

import re

from models.labs.attention import word_facts, word_weights

WORDS = "house casa; mouse ratón; horse caballo; cat gato; dog perro; tree árbol; bread pan; water agua"
WORD = "hause"
KERNEL = "gaussian"  # or "boxcar", "epanechnikov", "triangular"
BANDWIDTH = 1.0

keys, values = zip(*(line.split() for line in re.split(r"[\n;；]", WORDS) if line.strip()), strict=True)
(weights,) = word_weights([WORD.strip()], keys, KERNEL, BANDWIDTH)
for name, value in word_facts(values, weights).items():
    print(name, value)

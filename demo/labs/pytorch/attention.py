"""Attention as a soft dictionary in PyTorch: a kernel on numbers (Nadaraya-Watson)."""

import re

from models.labs.attention import SoftDictionary, facts_of

TEXT = (
    "0.1 0.2; 0.4 1.2; 0.7 2.3; 0.9 2.3; 1.2 2.4; 1.5 3.2; 1.8 4.0; 2.0 4.2; "
    "2.3 3.9; 3.3 2.7; 3.6 3.3; 3.8 2.4; 4.1 2.7; 4.4 3.0; 4.6 2.6; 4.9 3.2"
)
QUERY = 2.5
KERNEL = "gaussian"  # or "boxcar", "epanechnikov", "triangular"
BANDWIDTH = 0.5

lines = [line.replace(",", ".").split() for line in re.split(r"[\n;；]", TEXT) if line.strip()]
pairs = [(float(key), float(value)) for key, value in lines]
for name, value in facts_of(SoftDictionary.of(pairs, KERNEL, BANDWIDTH), QUERY).items():
    print(name, value)

"""Estimates of training cost: operations per token, and peak speeds of GPUs. Imports no torch."""

from __future__ import annotations

import re

OPERATIONS = 6  # per weight and target token: two forward, four backward (Kaplan et al. 2020)
# Operations per second in bfloat16, without sparsity, by the makers' data sheets. A GPU is recognised by the
# words of its name; if two entries fit, the longer one counts.
BF16_PEAKS = {
    "A100": 312e12,
    "L4": 121e12,
    "L40S": 362e12,
    "H100": 989e12,
    "H100 PCIe": 756e12,
    "H100 NVL": 835e12,
    "H200": 989e12,
    "H200 NVL": 835e12,
    "B200": 2250e12,
}


def bf16_peak(device: str) -> float | None:
    """Operations per second of a GPU by its name, such as "NVIDIA H100 80GB HBM3"; None if unknown.

    A slice of a GPU (MIG) has another peak, which is not known.
    """
    words = set(re.split(r"[ -]", device))
    fitting = [name for name in BF16_PEAKS if words.issuperset(name.split())]
    return None if "MIG" in words or not fitting else BF16_PEAKS[max(fitting, key=len)]

"""Self-attention under a mask in PyTorch: the reach of a changed word, and word order."""

import math
import re

import torch
from torch import Tensor
from torch.nn import functional as F

TEXT = "the cat saw the dog and the dog ran"
MASK = "decoder"  # or "encoder", "prefix"
POSITIONS = "sinusoidal"  # or "none"
CHANGED = 5  # the word that is replaced, counted from 1
PREFIX = 5  # words that see each other under the mask "prefix"
D, LAYERS = 32, 2
WORD = r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+(?:['’][^\W_]+)*"

words = [word for part in re.split(r"[.!?。！？\n]+", TEXT.lower()) for word in re.findall(WORD, part)]

# Sinusoidal positions: sines in the first half, cosines in the second.
rates = torch.exp(torch.arange(0, D, 2) * (-math.log(10_000.0) / D))
angles = torch.arange(64).unsqueeze(1) * rates
positions = torch.cat([angles.sin(), angles.cos()], dim=1).double()

# Random weights by a fixed seed; one embedding more than words, for the word that replaces another.
vocabulary = list(dict.fromkeys(words))
ids = torch.tensor([vocabulary.index(word) for word in words])
generator = torch.Generator().manual_seed(7)
embedding = torch.randn(len(words) + 1, D, generator=generator).double()


def matrices(rows: int, columns: int) -> list[Tensor]:
    """Return one matrix for each layer."""
    drawn = [torch.randn(rows, columns, generator=generator) for _ in range(LAYERS)]
    return [(item / math.sqrt(rows)).double() for item in drawn]


attention, mixing = matrices(D, 3 * D), matrices(D, D)
up, down = matrices(D, 4 * D), matrices(4 * D, D)

# Row by row: who may look at whom.
allowed = torch.ones(len(words), len(words), dtype=torch.bool)
if MASK != "encoder":
    first = torch.arange(len(words)) < (PREFIX if MASK == "prefix" else 0)
    allowed = allowed.tril() | (first.unsqueeze(0) & first.unsqueeze(1))


def norm(x: Tensor) -> Tensor:
    """Return x after layer normalisation."""
    return F.layer_norm(x, (D,))


def outputs(ids: Tensor) -> Tensor:
    """Run a small pre-norm Transformer with one head: (T,) -> (T, D)."""
    x = embedding[ids]
    if POSITIONS == "sinusoidal":
        x = x + positions[: len(ids)]
    for layer in range(LAYERS):
        queries, keys, values = (norm(x) @ attention[layer]).chunk(3, dim=-1)
        scores = queries @ keys.T / math.sqrt(D)
        x = x + scores.masked_fill(~allowed, -math.inf).softmax(dim=-1) @ values @ mixing[layer]
        x = x + (norm(x) @ up[layer]).relu() @ down[layer]
    return norm(x)


changed = ids.clone()
changed[CHANGED - 1] = len(words)
change = (outputs(changed) - outputs(ids)).abs().amax(dim=1)
print("outputs", len(words))
print("outputs_changed", int((change > 1e-9).sum()))
print("change_before", float(change[: CHANGED - 1].max()) if CHANGED > 1 else 0.0)
print("change_after", float(change[CHANGED - 1 :].max()))

# The words in reverse order. Without positions and mask the outputs are the same, in reverse.
print("order_difference", f"{float((outputs(ids.flip(0)).flip(0) - outputs(ids)).abs().max()):.9f}")

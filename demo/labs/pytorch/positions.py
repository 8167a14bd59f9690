"""Self-attention under a causal mask in PyTorch: the reach of a changed word, and word order."""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

WORDS = ["the", "cat", "saw", "the", "dog", "and", "the", "dog", "ran"]
CHANGED = 5  # the word that is replaced, counted from 1
WIDTH, LAYERS = 32, 2

# Sinusoidal positions: sines in the first half, cosines in the second.
rates = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10_000.0) / WIDTH))
angles = torch.arange(64).unsqueeze(1) * rates
positions = torch.cat([angles.sin(), angles.cos()], dim=1).double()

# Random weights by a fixed seed; one embedding more than words, for the word that replaces another.
vocabulary = list(dict.fromkeys(WORDS))
ids = torch.tensor([vocabulary.index(word) for word in WORDS])
generator = torch.Generator().manual_seed(7)
embedding = torch.randn(len(WORDS) + 1, WIDTH, generator=generator).double()


def matrices(rows: int, columns: int) -> list[Tensor]:
    """Return one matrix for each layer."""
    drawn = [torch.randn(rows, columns, generator=generator) for _ in range(LAYERS)]
    return [(item / math.sqrt(rows)).double() for item in drawn]


attention, mixing = matrices(WIDTH, 3 * WIDTH), matrices(WIDTH, WIDTH)
up, down = matrices(WIDTH, 4 * WIDTH), matrices(4 * WIDTH, WIDTH)


def norm(x: Tensor) -> Tensor:
    """Return x after layer normalisation."""
    return F.layer_norm(x, (WIDTH,))


def outputs(ids: Tensor, mask: Tensor, *, order: bool = True) -> Tensor:
    """Run a small pre-norm Transformer with one head: (T,) -> (T, D). mask (T, T): row may see column."""
    x = embedding[ids]
    if order:
        x = x + positions[: len(ids)]
    for layer in range(LAYERS):
        queries, keys, values = (norm(x) @ attention[layer]).chunk(3, dim=-1)
        scores = queries @ keys.T / math.sqrt(WIDTH)
        weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
        x = x + weights @ values @ mixing[layer]
        x = x + (norm(x) @ up[layer]).relu() @ down[layer]
    return norm(x)


everything = torch.ones(len(WORDS), len(WORDS), dtype=torch.bool)  # encoder-only: BERT
causal = everything.tril()  # decoder-only: GPT

# Under the causal mask a changed word changes nothing before it.
changed = ids.clone()
changed[CHANGED - 1] = len(WORDS)
change = (outputs(changed, causal) - outputs(ids, causal)).abs().amax(dim=1)
print("outputs", len(WORDS))
print("outputs_changed", int((change > 1e-9).sum()))
print("change_before", float(change[: CHANGED - 1].max()))
print("change_after", float(change[CHANGED - 1 :].max()))

# The words in reverse order. Without positions and mask the outputs are the same, in reverse.
for name, mask, order in (("order_difference", causal, True), ("without_order", everything, False)):
    difference = outputs(ids.flip(0), mask, order=order).flip(0) - outputs(ids, mask, order=order)
    print(name, f"{float(difference.abs().max()):.9f}")

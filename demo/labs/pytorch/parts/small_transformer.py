"""A pre-norm Transformer of two layers with one head each, and its masks."""

import math

import torch
from torch.nn import functional as F

D, LAYERS = 32, 2


def weights_of(vocabulary, generator):
    """Random weights: the embedding, and four matrices of each layer."""

    def matrices(rows, columns):
        return [torch.randn(rows, columns, generator=generator) / math.sqrt(rows) for _ in range(LAYERS)]

    embedding = torch.randn(vocabulary, D, generator=generator)
    return [embedding, *matrices(D, 3 * D), *matrices(D, D), *matrices(D, 4 * D), *matrices(4 * D, D)]


def mask(kind, length, prefix):
    """Row by row: who may look at whom, (T, T)."""
    if kind == "encoder":
        return torch.ones(length, length, dtype=torch.bool)
    first = torch.arange(length) < (prefix if kind == "prefix" else 0)
    return torch.ones(length, length, dtype=torch.bool).tril() | (first.unsqueeze(0) & first.unsqueeze(1))


def norm(x):
    """Layer normalisation."""
    return F.layer_norm(x, (D,))


def states(ids, weights, positions, allowed):
    """The last states (..., T, D) of ids (..., T), and the attention weights of each layer (..., T, T)."""
    embedding, *matrices = weights
    x, probabilities = embedding[ids] + positions, []
    for layer in range(LAYERS):
        attention, mixing, up, down = matrices[layer::LAYERS]
        queries, keys, values = (norm(x) @ attention).chunk(3, dim=-1)
        scores = queries @ keys.transpose(-1, -2) / math.sqrt(D)
        probabilities.append(scores.masked_fill(~allowed, -math.inf).softmax(dim=-1))
        x = x + probabilities[-1] @ values @ mixing
        x = x + (norm(x) @ up).relu() @ down
    return norm(x), probabilities

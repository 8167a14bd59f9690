"""Exact nearest neighbours: one matrix product in single precision, then double precision for the best.

A neighbour is shown in its sentence. In Khandelwal et al. 2021, "Nearest neighbor machine translation",
neighbours vote for the next token.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from models.corpus.pairs import Pair
from models.inspection.neighbours.states import SOURCE_STATES, StatePart
from models.tokenization.tokenizer import Tokenizer

EUCLIDEAN, COSINE = "euclidean", "cosine"
DISTANCE_METRICS = (EUCLIDEAN, COSINE)
CHUNK_ROWS = 8192  # converted to single precision at once
UNIT_ROUNDOFF = 2.0**-24  # half the distance from 1 to the next number in single precision


@dataclass(frozen=True)
class Neighbour:
    """A stored state that is near to another."""

    distance: float  # Euclidean
    token: int  # the predicted token, or for the encoder the token read
    pair: Pair
    position: int  # the position of the token in its sentence, from 0


def nearest(
    vectors: Tensor, query: Tensor, k: int, metric: str = EUCLIDEAN, squares: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """The k nearest of (N, D) to a query (D,), nearest first: rows (k,) int64, distances (k,) float64.

    At equal distances the lower row comes first. There are fewer than k if N is smaller. `squares` (N,) are
    the vectors' squared norms, if known. By cosine a zero vector has distance 1. Raises ValueError for
    another metric.
    """
    if metric not in DISTANCE_METRICS:
        raise ValueError(f"metric must be one of {', '.join(DISTANCE_METRICS)}; got {metric!r}")
    k = min(k, len(vectors))
    if k < 1:
        return torch.zeros(0, dtype=torch.int64), torch.zeros(0, dtype=torch.float64)
    query = query.detach().cpu()
    low, high = _bounds(vectors, query.float(), metric, squares)
    # Rows that single precision cannot separate from the k-th are compared in double precision.
    rows = (low <= high.topk(k, largest=False).values[-1]).nonzero().squeeze(1)
    exact = _distances(vectors[rows].double(), query.double(), metric)
    distances, ranking = exact.sort(stable=True)
    return rows[ranking[:k]], distances[:k]


def _bounds(vectors: Tensor, query: Tensor, metric: str, squares: Tensor | None) -> tuple[Tensor, Tensor]:
    """Lower and upper bounds (N,) of each score; a score grows with the distance."""
    products, norms = _products(vectors, query, squares)
    # Higham 2002, section 3.1: rounding error of a sum of D products, and of the steps after it.
    rounding = (len(query) + 8) * UNIT_ROUNDOFF
    length = float(query.norm())
    if metric == EUCLIDEAN:
        scores = norms - 2 * products
        slack = rounding * (norms + 2 * length * norms.sqrt())
    else:
        scores = -products / (norms.sqrt() * length).clamp_min(torch.finfo(torch.float32).tiny)
        slack = torch.full_like(scores, 2 * rounding)
    return scores - slack, scores + slack


def _products(vectors: Tensor, query: Tensor, squares: Tensor | None) -> tuple[Tensor, Tensor]:
    """Inner products with the query, and squared norms, each (N,) float32."""
    products = torch.empty(len(vectors))
    norms = torch.empty(len(vectors)) if squares is None else squares.float()
    for start in range(0, len(vectors), CHUNK_ROWS):
        chunk = vectors[start : start + CHUNK_ROWS].float()
        products[start : start + CHUNK_ROWS] = chunk @ query
        if squares is None:
            norms[start : start + CHUNK_ROWS] = chunk.square().sum(dim=1)
    return products, norms


def _distances(vectors: Tensor, query: Tensor, metric: str) -> Tensor:
    """Distances of vectors from the query: (M, D), (D,) float64 -> (M,)."""
    if metric == EUCLIDEAN:
        euclidean: Tensor = torch.linalg.vector_norm(vectors - query, dim=1)
        return euclidean
    lengths = vectors.norm(dim=1) * query.norm()
    cosines = torch.where(lengths > 0, vectors @ query / lengths.clamp_min(1e-300), 0)
    return (1 - cosines).clamp_min(0)


def neighbours(
    parts: Sequence[StatePart], kind: str, query: Tensor, k: int, without: str = ""
) -> tuple[Neighbour, ...]:
    """The k stored states of a kind that are nearest to a query (D,), nearest first.

    `without`: a source whose sentences are left out, such as the query's own.
    """
    candidates: list[Neighbour] = []
    for part in parts:
        if kind not in part.tables:
            continue
        table = part.tables[kind]
        excluded = torch.tensor([index for index, (source, _) in enumerate(part.pairs) if source == without])
        left_out = torch.isin(table.pairs, excluded.int())
        rows, distances = nearest(table.vectors, query, k + int(left_out.sum()), squares=table.squares)
        included = ~left_out[rows]
        rows, distances = rows[included][:k], distances[included][:k]
        columns = (column[rows].tolist() for column in (table.tokens, table.pairs, table.places))
        candidates += (
            Neighbour(distance, token, part.pairs[pair], position)
            for distance, token, pair, position in zip(distances.tolist(), *columns, strict=True)
        )
    return tuple(sorted(candidates, key=lambda neighbour: neighbour.distance)[:k])


def votes(nearest_states: Sequence[Neighbour], temperature: float) -> Mapping[int, float]:
    """p_kNN, the distribution of the next token: proportional to the sum of exp(-d / temperature).

    d is the squared distance, as in the paper (section 2). Empty without neighbours. Raises ValueError for a
    temperature that is not above 0.
    """
    shares: dict[int, float] = defaultdict(float)
    for neighbour, weight in zip(nearest_states, _weights(nearest_states, temperature), strict=True):
        shares[neighbour.token] += weight
    return dict(shares)


def voters(nearest_states: Sequence[Neighbour], temperature: float) -> float:
    """The effective number of neighbours: exp of the entropy of their weights, from 1 to k.

    Raises ValueError for a temperature that is not above 0.
    """
    weights = _weights(nearest_states, temperature)
    return math.exp(-math.fsum(weight * math.log(weight) for weight in weights if weight))


def _weights(nearest_states: Sequence[Neighbour], temperature: float) -> list[float]:
    """The weight of each neighbour; they add up to 1."""
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0; got {temperature}")
    squared = [neighbour.distance**2 for neighbour in nearest_states]
    weights = [math.exp((min(squared) - distance) / temperature) for distance in squared]
    return [weight / math.fsum(weights) for weight in weights]


def split_at_token(tokenizer: Tokenizer, neighbour: Neighbour, kind: str) -> tuple[str, str, str]:
    """The text before the token, the token's text or else its spelling, and the text after it."""
    source, target = neighbour.pair
    text, side, position = target, tokenizer.target, neighbour.position - len(tokenizer.first_ids)
    if kind == SOURCE_STATES:
        text, side, position = source, tokenizer, neighbour.position
    encoding = side.encode(text)
    if not 0 <= position < len(encoding.offsets):  # an opening token, which stands before the text
        return "", tokenizer.token(neighbour.token), text
    start, end = encoding.offsets[position]
    token_text = text[start:end]
    return text[:start], token_text if token_text.strip() else encoding.tokens[position], text[end:]

"""Attention as a soft dictionary: a query is answered by the mean of all values, weighted by their keys.

Sources: Nadaraya (1964) and Watson (1964) for kernels; Bahdanau et al. (2015), Luong et al. (2015) and
Vaswani et al. (2017) for scores; Zhang et al., Dive into Deep Learning (2023), "Attention Pooling by
Similarity", for both as one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

DISTANCE_ROUNDING = 1e-9  # rounding must not put 0.4 - 0.1 beyond a bandwidth of 0.3
# Functions of u = distance / bandwidth. The textbook calls the triangle Epanechnikov's, but his is 1 - u^2.
KERNELS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "gaussian": lambda u: (-0.5 * u.square()).exp(),
    "boxcar": lambda u: (u.abs() <= 1 + DISTANCE_ROUNDING).to(u),
    "epanechnikov": lambda u: (1 - u.square()).clamp(min=0),
    "triangular": lambda u: (1 - u.abs()).clamp(min=0),
}
NUM_QUERIES = 100  # means are taken over this many queries, each with its own keys


def kernel_weights(distances: Tensor, kernel: str, bandwidth: float) -> Tensor:
    """Return the weights of N keys from their distances to a query: (..., N) -> (..., N).

    No weight is negative, and the weights of a query sum to 1. If the kernel reaches no key, all are 0.
    """
    reach = distances / bandwidth
    if kernel == "gaussian":  # a softmax of logarithms: far from all keys each term would round to 0
        return (-0.5 * reach.square()).softmax(dim=-1)
    heights = KERNELS[kernel](reach)
    total = heights.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, heights / torch.where(total > 0, total, 1), 0)


def pool(weights: Tensor, values: Tensor) -> Tensor:
    """Return sum v alpha(q, k): (..., N), (N,) -> (...); NaN where no key has a weight."""
    return torch.where(weights.sum(dim=-1) > 0, weights @ values, math.nan)


def regression(
    queries: Tensor, keys: Tensor, values: Tensor, kernel: str, bandwidth: float
) -> tuple[Tensor, Tensor]:
    """Return the Nadaraya-Watson estimates (Q,), see `pool`, and the weights (Q, N).

    queries (Q,), keys (N,), values (N,).
    """
    weights = kernel_weights((queries.unsqueeze(-1) - keys).abs(), kernel, bandwidth)
    return pool(weights, values), weights


def leave_one_out_error(keys: Tensor, values: Tensor, kernel: str, bandwidth: float) -> float:
    """Return the root mean squared error if each value is predicted from all others: keys (N,), values (N,).

    N is at least 2. The error is infinite if a key has no other key within reach.
    """
    distances = (keys.unsqueeze(-1) - keys).abs()
    distances.fill_diagonal_(math.inf)
    errors = pool(kernel_weights(distances, kernel, bandwidth), values) - values
    return math.inf if bool(errors.isnan().any()) else float(errors.square().mean().sqrt())


@dataclass(frozen=True)
class SoftDictionary:
    """Pairs of numbers that a kernel turns into a dictionary."""

    keys: tuple[float, ...]  # N, in rising order
    values: tuple[float, ...]
    kernel: str
    bandwidth: float

    @staticmethod
    def of(pairs: Sequence[tuple[float, float]], kernel: str, bandwidth: float) -> SoftDictionary:
        """Return the dictionary of keys and values in any order; a key may have several values."""
        keys, values = zip(*sorted(pairs, key=lambda pair: pair[0]), strict=True)
        return SoftDictionary(keys, values, kernel, bandwidth)

    def ask(self, *queries: float) -> tuple[list[float], list[list[float]]]:
        """Return the answers to Q queries, see `pool`, and Q lines of N weights."""
        answers, weights = regression(_doubles(queries), *self._pairs(), self.kernel, self.bandwidth)
        return answers.tolist(), weights.tolist()

    def heights(self, query: float) -> list[float]:
        """Return the kernel's value at each key."""
        return KERNELS[self.kernel]((_doubles(self.keys) - query) / self.bandwidth).tolist()

    def error(self, bandwidth: float | None = None) -> float:
        """Return `leave_one_out_error` with its own bandwidth unless another is given."""
        return leave_one_out_error(*self._pairs(), self.kernel, bandwidth or self.bandwidth)

    def _pairs(self) -> tuple[Tensor, Tensor]:
        return _doubles(self.keys), _doubles(self.values)


def facts_of(dictionary: SoftDictionary, query: float) -> dict[str, float | str]:
    """Return the numbers of one answer and of the dictionary; an absent number is an empty text."""
    (answer,), (weights,) = dictionary.ask(query)
    reached, scattered, top = sum(weight > 0 for weight in weights), entropy_of(weights), max(weights)
    error = dictionary.error()
    return {
        "keys": len(dictionary.keys),
        "answer": answer if reached else "",
        "keys_reached": reached,
        "weight_sum": sum(weights),
        "largest_weight": top,
        "top_key": dictionary.keys[weights.index(top)],
        "top_value": dictionary.values[weights.index(top)],
        "entropy": scattered,
        "effective_keys": math.exp(scattered) if reached else 0,
        "mean_value": sum(dictionary.values) / len(dictionary.values),
        "left_out_error": error if math.isfinite(error) else "",
    }


def word_weights(
    queries: Sequence[str], keys: Sequence[str], kernel: str, bandwidth: float
) -> list[list[float]]:
    """Return Q lines of N weights by the edit distance of words, in lower case."""
    distances = [[edit_distance(query.lower(), key.lower()) for key in keys] for query in queries]
    return kernel_weights(_doubles(distances), kernel, bandwidth).tolist()


def shares_of(values: Sequence[str], weights: Sequence[float]) -> list[tuple[str, float]]:
    """Return each value's share of the answer, the largest first; none without a key in reach."""
    shares: dict[str, float] = {}
    for value, weight in zip(values, weights, strict=True):
        shares[value] = shares.get(value, 0.0) + weight
    return sorted(((value, share) for value, share in shares.items() if share), key=lambda item: -item[1])


def word_facts(values: Sequence[str], weights: Sequence[float]) -> dict[str, float | str]:
    """Return the numbers of one answer, which is the value with the largest share, or an empty text."""
    answer, share = [*shares_of(values, weights), ("", 0.0)][0]
    return {
        "keys": len(values),
        "keys_reached": sum(weight > 0 for weight in weights),
        "answer": answer,
        "largest_share": share,
        "largest_weight": max(weights),
        "entropy": entropy_of(weights),
    }


def _doubles(numbers: Sequence[float] | Sequence[Sequence[int]]) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


def entropy_of(weights: Sequence[float]) -> float:
    """Return the `entropy` of a list of weights."""
    return float(entropy(_doubles(weights)))


def entropy(weights: Tensor) -> Tensor:
    """Return -sum p log p in nats: (..., N) -> (...); log N for equal weights, 0 for a single one."""
    terms: Tensor = torch.special.entr(weights)
    return terms.sum(dim=-1)


def edit_distance(a: str, b: str) -> int:
    """Return the number of letters to insert, delete or replace (Levenshtein 1966)."""
    row = list(range(len(b) + 1))
    for index, letter in enumerate(a, 1):
        above, row[0] = row[0], index
        for column, letter_b in enumerate(b, 1):
            above, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, above + (letter != letter_b)),
            )
    return row[-1]


def additive(queries: Tensor, keys: Tensor, matrices: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    """Return v tanh(W_q q + W_k k), Bahdanau et al. (2015): (..., D), (..., N, D) -> (..., N).

    `matrices` are W_q and W_k, each (H, D), and v, (H,).
    """
    of_query, of_key, energy = matrices
    return ((queries @ of_query.T).unsqueeze(-2) + keys @ of_key.T).tanh() @ energy


def dot(queries: Tensor, keys: Tensor) -> Tensor:
    """Return the dot product q k, Luong et al. (2015): (..., D), (..., N, D) -> (..., N)."""
    return (keys @ queries.unsqueeze(-1)).squeeze(-1)


def scaled_dot(queries: Tensor, keys: Tensor) -> Tensor:
    """Return q k / sqrt(D), Vaswani et al. (2017): (..., D), (..., N, D) -> (..., N)."""
    return dot(queries, keys) / math.sqrt(queries.shape[-1])


def general(queries: Tensor, keys: Tensor, matrix: Tensor) -> Tensor:
    """Return q W k, Luong et al. (2015): (..., D), (..., N, D), (D, D) -> (..., N)."""
    turned: Tensor = queries @ matrix
    return dot(turned, keys)


@dataclass(frozen=True)
class Scored:
    """One score on random queries and keys: the first draw, and means over NUM_QUERIES draws."""

    scores: Tensor  # (N,)
    weights: Tensor  # (N,), their softmax
    values: Tensor  # (N,)
    deviation: float  # standard deviation of all scores
    entropy: float  # mean entropy of the weights in nats
    largest: float  # weight, a mean


@lru_cache(256)
def score_keys(kind: str, width: int, count: int, seed: int) -> Scored:
    """Score `count` keys of `width` numbers each, all drawn from the standard normal distribution.

    Entries of the matrices are drawn with variance 1/width, as at the start of a training. `kind` is
    additive, dot, scaled_dot or general. Raises ValueError for another.
    """
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    values, queries, keys = draw(count), draw(NUM_QUERIES, width), draw(NUM_QUERIES, count, width)
    matrix, of_query, of_key, energy = (
        item / math.sqrt(width) for item in (*(draw(width, width) for _ in range(3)), draw(width))
    )
    if kind == "additive":
        scores = additive(queries, keys, (of_query, of_key, energy))
    elif kind == "general":
        scores = general(queries, keys, matrix)
    elif kind in ("dot", "scaled_dot"):
        scores = dot(queries, keys) if kind == "dot" else scaled_dot(queries, keys)
    else:
        raise ValueError(f"there is no score {kind!r}")
    weights = scores.softmax(dim=-1)
    largest = float(weights.amax(dim=-1).mean())
    return Scored(scores[0], weights[0], values, float(scores.std()), float(entropy(weights).mean()), largest)


def score_facts(result: Scored, width: int) -> dict[str, float]:
    """Return the numbers of the first draw, and means over all draws, for vectors of that width."""
    return {
        "keys": len(result.weights),
        "width": width,
        "answer": float(result.weights @ result.values),
        "largest_weight": float(result.weights.max()),
        "entropy": float(entropy(result.weights)),
        "most_entropy": math.log(len(result.weights)),
        "score_deviation": result.deviation,
        "mean_largest": result.largest,
        "mean_entropy": result.entropy,
        # the largest derivative of the softmax
        "slope": float((result.weights * (1 - result.weights)).max()),
    }

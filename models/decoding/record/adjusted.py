"""The distribution that the strategy chose by, at the tokens that the trace records of a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp
from typing import Any, NamedTuple

from torch import Tensor

from models.decoding.description import Family
from models.decoding.search.step import SearchStep
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.trace import NextToken

DECIMALS = 6  # decimals of a recorded number
RowNumbers = tuple[tuple[float, ...] | None, tuple[float, ...] | None]  # `DecodedRow.allowed` and `chances`


class AdjustedNumbers(NamedTuple):
    """The numbers of N recorded rows and P recorded candidates, after the constraints and the truncations."""

    allowed: Tensor  # (N, T), log-probabilities of the likeliest next tokens after the constraints
    chances: Tensor  # (N, T), the probabilities by which the strategy ranked or drew them
    candidates: Tensor  # (P,), the same of the last token of each candidate

    @classmethod
    def of(
        cls, step: SearchStep, strategy: DecodingStrategy, top_ids: Tensor, parents: Tensor, tokens: Tensor
    ) -> AdjustedNumbers | None:
        """The numbers of a step for top_ids (K, T), and for the last tokens (P,) of some candidates.

        parents (P,): their rows. None if nothing can differ.
        """
        rows = step.processed[0]
        draws = strategy.description.family is Family.DRAW
        if not draws and step.row_top_unchanged:
            return None
        allowed = step.ban.mask(rows.gather(1, top_ids), top_ids)
        if draws:  # the probability of a token depends on all others
            drawn = strategy.chances(step.ban.applied_to(rows)).nan_to_num()  # NaN: no token is allowed
            return cls(allowed, drawn.gather(1, top_ids), drawn[parents, tokens])
        last = step.ban.mask(rows[parents, tokens], tokens)
        return cls(allowed, strategy.chances(allowed), strategy.chances(last))

    def subset(self, rows: Tensor, candidates: Tensor) -> AdjustedNumbers:
        """Return the numbers of some rows and some candidates."""
        return AdjustedNumbers(self.allowed[rows], self.chances[rows], self.candidates[candidates])


def adjusted_rows(adjusted: AdjustedNumbers | None, tops: Sequence[Sequence[NextToken]]) -> list[RowNumbers]:
    """The numbers of the rows of a step; None for those that are the model's own."""
    if adjusted is None:
        return [(None, None)] * len(tops)
    result: list[RowNumbers] = []
    for top, allowed, chances in zip(tops, *map(_to_lists, adjusted[:2]), strict=True):
        log_probs = [token.log_prob for token in top]
        allowed, chances = allowed[: len(log_probs)], chances[: len(log_probs)]  # impossible tokens come last
        is_own = all(_is_same(chance, log_prob) for chance, log_prob in zip(chances, log_probs, strict=True))
        result.append((None if allowed == log_probs else tuple(allowed), None if is_own else tuple(chances)))
    return result


def adjusted_candidates(
    steps: Sequence[tuple[AdjustedNumbers | None, int]], log_probs: Sequence[float]
) -> Iterator[float | None]:
    """`BeamNode.chance` of the candidates of all steps, each with its number of candidates."""
    remaining = iter(log_probs)
    for adjusted, count in steps:
        chances = [None] * count if adjusted is None else _to_lists(adjusted.candidates)
        for chance in chances:
            yield None if _is_same(chance, next(remaining)) else chance


def _to_lists(values: Tensor) -> list[Any]:
    # Converted on the CPU, since not every device has double precision.
    numbers: list[Any] = values.cpu().double().round(decimals=DECIMALS).tolist()
    return numbers


def _is_same(chance: float | None, log_prob: float) -> bool:
    """Whether a probability is the model's own, up to the rounding of recorded numbers."""
    return chance is None or abs(chance - exp(log_prob)) < 2 * 10**-DECIMALS

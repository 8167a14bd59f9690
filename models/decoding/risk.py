"""Minimum Bayes risk: which of the samples the others agree with most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from models.decoding.strategies import DecodingStrategy, MinimumBayesRisk
from models.decoding.trace import Hypothesis, Utilities
from models.decoding.utility import expected_utilities, signature, utility_matrix


def reranked(
    strategy: DecodingStrategy, hypotheses: Sequence[Hypothesis]
) -> tuple[tuple[Hypothesis, ...], Utilities | None]:
    """The hypotheses by expected utility, and the utilities in that order; untouched by other strategies."""
    if not isinstance(strategy, MinimumBayesRisk) or not hypotheses:
        return tuple(hypotheses), None
    matrix = utility_matrix(
        [hypothesis.text for hypothesis in hypotheses], strategy.utility, strategy.language
    )
    expected = expected_utilities(matrix)
    order = sorted(range(len(hypotheses)), key=lambda i: -expected[i])
    ranked = tuple(replace(hypotheses[i], utility=expected[i]) for i in order)
    sorted_matrix = tuple(tuple(matrix[i][j] for j in order) for i in order)
    return ranked, Utilities(strategy.utility, signature(strategy.utility, strategy.language), sorted_matrix)


def best_text(strategy: DecodingStrategy, texts: Sequence[str]) -> str:
    """Of the texts, best first, the one that the strategy returns; empty if there is none."""
    if not texts:
        return ""
    if not isinstance(strategy, MinimumBayesRisk):
        return texts[0]
    expected = expected_utilities(utility_matrix(texts, strategy.utility, strategy.language))
    return texts[max(range(len(texts)), key=expected.__getitem__)]

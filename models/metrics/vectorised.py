"""sacrebleu's corpus scores of many sums of statistics at once, as a bootstrap needs them.

The formulas are sacrebleu's, for the settings that `models.metrics.bootstrap` uses; tests hold both equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Sums = NDArray[Any]
Scores = NDArray[np.float64]

BLEU_ORDERS = 4
CHRF_BETA = 2  # recall counts twice as much as precision


def bleu_scores(sums: Sums) -> Scores:
    """BLEU with exponential smoothing (Chen and Cherry 2014, method 3), 0 to 100. (B, 10) -> (B,).

    A row has tokens of outputs and references, then matches and totals of orders 1 to 4.
    """
    numbers = sums.astype(np.float64)
    length, reference_length = numbers[:, 0], numbers[:, 1]
    matches, totals = numbers[:, 2 : 2 + BLEU_ORDERS], numbers[:, 2 + BLEU_ORDERS :]
    zeros = (matches == 0) & (totals > 0)
    divisors = 2.0 ** np.cumsum(zeros, axis=1)  # an order without a match counts 1/2, the next one 1/4, ...
    with np.errstate(divide="ignore", invalid="ignore"):
        precisions = np.where(zeros, 1 / divisors, matches) / totals
        penalty = np.where(length < reference_length, np.exp(1 - reference_length / length), 1.0)
        scores = 100 * penalty * np.exp(np.log(precisions).mean(axis=1))
    # Without any match, or without n-grams of some order, nothing is smoothed.
    return np.where(matches.any(axis=1) & (totals > 0).all(axis=1), scores, 0.0)


def chrf_scores(sums: Sums) -> Scores:
    """chrF (Popovic 2015), 0 to 100: precision and recall are means over the orders that both have.

    (B, 3 * orders) -> (B,). A row has, for each order, n-grams of outputs, of references, and matches.
    """
    numbers = sums.astype(np.float64).reshape(len(sums), -1, 3)
    in_output, in_reference, matches = numbers[..., 0], numbers[..., 1], numbers[..., 2]
    in_both = (in_output > 0) & (in_reference > 0)
    orders = np.maximum(in_both.sum(axis=1), 1)
    precision, recall = (
        np.divide(matches, counts, out=np.zeros_like(matches), where=in_both).sum(axis=1) / orders
        for counts in (in_output, in_reference)
    )
    denominator = CHRF_BETA**2 * precision + recall
    numerator = (1 + CHRF_BETA**2) * precision * recall
    scores: Scores = 100 * np.divide(
        numerator, denominator, out=np.zeros_like(denominator), where=denominator > 0
    )
    return scores

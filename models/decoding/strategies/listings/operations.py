"""The functions that listings call beside the model."""

from __future__ import annotations

import math
from typing import Any


def best(count: int, items: Any) -> Any:
    """The `count` items with the highest first value, the earlier one of two equals first."""
    return sorted(items, key=lambda item: -item[0])[:count]


def extend(model: Any, beam: Any) -> Any:
    """Each prefix of a beam with each next token, and the sum of its log-probabilities."""
    return [
        (total + log_prob, prefix + [token])
        for total, prefix in beam
        for token, log_prob in model.next(prefix)
    ]


def penalise(model: Any, beam: Any, group_tokens: Any, diversity: float) -> Any:
    """Each prefix with each next token; its rank score loses `diversity` for each choice of the token."""
    return [
        (rank_score + log_prob - diversity * group_tokens.count(token), total + log_prob, prefix + [token])
        for rank_score, total, prefix in beam
        for token, log_prob in model.next(prefix)
    ]


def log(number: float) -> float:
    """The natural logarithm; -inf for 0."""
    return math.log(number) if number > 0 else -math.inf

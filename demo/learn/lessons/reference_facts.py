"""Facts that lessons may state about a reference: functions of the reference as a network scores it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from demo.i18n.display import display_token
from models.decoding.judge.scored_text import ScoredText


def _rank(scored: ScoredText, step: int) -> int:
    return scored.tokens[step - 1].rank + 1


def _first_choices(scored: ScoredText) -> int:
    return sum(token.rank == 0 for token in scored.tokens)


# Steps and ranks count from 1.
REFERENCED: dict[str, Callable[..., Any]] = {
    "reference_log_probability": lambda scored: scored.log_prob,
    "reference_score": lambda scored: scored.score,
    "reference_perplexity": lambda scored: scored.perplexity,
    "reference_length": lambda scored: len(scored.tokens),  # the end token included
    "reference_cross_entropy": lambda scored: -scored.log_prob / len(scored.tokens),  # nats for a token
    "reference_token": lambda scored, step: display_token(scored.tokens[step - 1].surface),
    "reference_rank": _rank,
    "reference_probability": lambda scored, step: math.exp(scored.tokens[step - 1].log_prob),
    "reference_first_choices": _first_choices,  # tokens that no other token beats
}

"""A text that somebody else wrote, as the model rates it.

Numbers and strings only: no tensor, no torch. Made by `rescore`, judged by `verdict`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.decoding.trace import NextToken


@dataclass(frozen=True)
class ScoredToken:
    """One token of a given text, judged by the model that has read all before it."""

    id: int
    surface: str
    log_prob: float  # in nats
    rank: int  # 0 for the model's first choice; of equally likely tokens the lower id is first
    unknown: bool  # the vocabulary lacks what stands here
    entropy: float  # of the whole next-token distribution, in nats
    alternative: NextToken | None  # the most likely other token; None if no other is possible


@dataclass(frozen=True)
class ScoredText:
    """A given text as if the model had written it."""

    text: str
    tokens: tuple[ScoredToken, ...]  # T, the end token included
    log_prob: float  # of all tokens, in nats
    score: float  # length-normalised
    unknown: tuple[str, ...] = ()  # what the vocabulary lacks, as typed, each once
    opening: int = 0  # tokens that every output begins with; they cost nothing

    @property
    def token_ids(self) -> tuple[int, ...]:
        """T ids, the end token included."""
        return tuple(token.id for token in self.tokens)

    @property
    def ended(self) -> bool:
        """True: nobody cuts off a text that is given."""
        return True

    @property
    def perplexity(self) -> float:
        """exp of the mean negative log-likelihood of a token after the opening, end token included."""
        try:
            return math.exp(-self.log_prob / (len(self.tokens) - self.opening))
        except OverflowError:
            return math.inf

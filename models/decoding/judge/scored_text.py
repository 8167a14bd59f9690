"""The score of a given text by the model.

Numbers and strings only: no tensor, no torch. Made by `rescore`, compared by `verdict`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from models.decoding.search.length_normalizer import LengthNormalizer
from models.decoding.trace import NextToken


@dataclass(frozen=True)
class ScoredToken:
    """One token of a given text, scored by the model after all tokens before it."""

    id: int
    surface: str
    log_prob: float  # in nats
    rank: int  # 0 for the model's first choice; of equally likely tokens the lower id is first
    unknown: bool  # the vocabulary lacks this part of the text
    entropy: float  # the entropy of the whole next-token distribution, in nats
    alternative: NextToken | None  # the most likely other token; None if no other is possible


@dataclass(frozen=True)
class ScoredText:
    """A given text with the scores of its tokens."""

    text: str
    tokens: tuple[ScoredToken, ...]  # T, the end token included
    log_prob: float  # the log-probability of all tokens, in nats
    score: float  # length-normalised
    unknown: tuple[str, ...] = ()  # parts of the text that the vocabulary lacks, each once
    opening: int = 0  # number of first tokens that every output has; they cost nothing

    @classmethod
    def from_tokens(
        cls, text: str, tokens: Sequence[ScoredToken], normalizer: LengthNormalizer | None = None
    ) -> ScoredText:
        """A text with the sum of its tokens' log-probabilities, and the score that follows from it."""
        log_prob = math.fsum(token.log_prob for token in tokens)
        return cls(text, tuple(tokens), log_prob, (normalizer or LengthNormalizer())(log_prob, len(tokens)))

    @property
    def token_ids(self) -> tuple[int, ...]:
        """T ids, the end token included."""
        return tuple(token.id for token in self.tokens)

    @property
    def ended(self) -> bool:
        """True, since a given text is never cut off."""
        return True

    @property
    def perplexity(self) -> float:
        """exp of the mean negative log-likelihood of a token after the opening, end token included."""
        try:
            return math.exp(-self.log_prob / (len(self.tokens) - self.opening))
        except OverflowError:
            return math.inf

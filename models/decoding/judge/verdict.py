"""The score of a given text, and why an output differs from it: by a search error or a model error.

Numbers and strings only: no tensor, no torch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from models.decoding.search.strategy import LengthNormalizer
from models.decoding.trace import NextToken
from models.errors import Message, in_quotes

SAME_SCORE_NATS = 1e-5  # two computations of one log-probability may differ by this much
MAX_QUOTES, MAX_QUOTE_CHARACTERS = 3, 20  # quotes in a sentence, characters of each
CUT_OFF = Message(
    "reference_against_cut_off",
    "The output was cut off at the length limit: its score is too high, because it leaves out the end token.",
)


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


class ScoredOutput(Protocol):
    """An output with its probability: a `ScoredText`, a hypothesis of a trace, or a similar object."""

    @property
    def text(self) -> str:
        """The text for a reader."""

    @property
    def token_ids(self) -> tuple[int, ...]:
        """T ids, the end token included if there is one."""

    @property
    def log_prob(self) -> float:
        """The log-probability of all its tokens, in nats."""

    @property
    def ended(self) -> bool:
        """Whether it has an end token; otherwise it was cut off at the length limit."""


class VerdictKind(str, Enum):
    """The cause of an output that differs from its reference."""

    SEARCH_ERROR = "search_error"  # the model prefers the reference to the output of the search
    MODEL_ERROR = "model_error"  # the model prefers the output of the search to the reference
    AGREEMENT = "agreement"  # the search wrote the reference
    TIE = "tie"  # other tokens, and the model prefers neither


@dataclass(frozen=True)
class Verdict:
    """The comparison of a reference with the best output of a search, by log-probability."""

    kind: VerdictKind
    explanation: str  # a sentence
    margin: float  # the reference's log-probability minus the output's, in nats
    notes: tuple[str, ...] = ()  # sentences about doubts


def verdict(reference: ScoredText, best: ScoredOutput, doubt: Message | None = None) -> Verdict:
    """Compare a reference with the best output of a search (Stahlberg and Byrne 2019).

    The same text in other tokens is an agreement too. `doubt` is one about the text of the reference.
    """
    # Minus infinity minus itself would be NaN.
    margin = 0.0 if reference.log_prob == best.log_prob else reference.log_prob - best.log_prob
    kind = _kind(reference, best, margin)
    explanation = _explanation(kind, reference, best, _number(abs(margin)))
    return Verdict(kind, explanation, margin, tuple(_notes(reference, best, doubt)))


def _kind(reference: ScoredText, best: ScoredOutput, margin: float) -> VerdictKind:
    if reference.token_ids == best.token_ids or reference.text.split() == best.text.split():
        return VerdictKind.AGREEMENT
    if abs(margin) <= SAME_SCORE_NATS:
        return VerdictKind.TIE
    return VerdictKind.SEARCH_ERROR if margin > 0 else VerdictKind.MODEL_ERROR


def _explanation(kind: VerdictKind, reference: ScoredText, best: ScoredOutput, gap: str) -> Message:
    reference_value, output_value = _number(reference.log_prob), _number(best.log_prob)
    if kind is VerdictKind.AGREEMENT and reference.token_ids == best.token_ids:
        return Message(
            "agreement",
            "Agreement: the search found the reference, log-probability {value}.",
            value=output_value,
        )
    if kind is VerdictKind.AGREEMENT:
        return Message(
            "agreement_in_other_tokens",
            "Agreement: the search found the text of the reference in other tokens, log-probability "
            "{value}. In the tokens of the tokenizer, the text has {own}.",
            value=output_value,
            own=reference_value,
        )
    if kind is VerdictKind.TIE:
        return Message(
            "tie",
            "No error: the model rates the reference and the output of the search the same, "
            "log-probability {value}.",
            value=output_value,
        )
    if kind is VerdictKind.SEARCH_ERROR:
        return Message(
            "search_error",
            "Search error: the model rates the reference {gap} nats higher (log-probability {own}) than "
            "the output of the search ({found}).",
            gap=gap,
            own=reference_value,
            found=output_value,
        )
    return Message(
        "model_error",
        "Model error if the reference is right: the model rates the output of the search {gap} nats "
        "higher (log-probability {found}) than the reference ({own}), so a better search would not find "
        "the reference either.",
        gap=gap,
        found=output_value,
        own=reference_value,
    )


def _notes(reference: ScoredText, best: ScoredOutput, doubt: Message | None) -> Iterator[str]:
    """The doubts about the comparison."""
    if doubt is not None:
        yield doubt
    if any(token.unknown for token in reference.tokens):
        yield Message(
            "reference_unknown",
            "The vocabulary lacks {words}: the model scores the unknown token instead, so its score of "
            "this reference is unfair.",
            words=_quote_pieces(reference.unknown),
        )
    if not best.ended:
        yield CUT_OFF


def _quote_pieces(pieces: Sequence[str]) -> str:
    if not pieces:
        return Message("a_piece", "a piece of it")
    return in_quotes([_shorten(piece) for piece in pieces], MAX_QUOTES)


def _shorten(piece: str) -> str:
    return piece if len(piece) <= MAX_QUOTE_CHARACTERS else piece[: MAX_QUOTE_CHARACTERS - 1] + "…"


def _number(value: float) -> str:
    """Format a number with a true minus sign; a small number keeps two significant digits."""
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    if value == 0:
        return "0.00"
    return (f"{value:.2f}" if abs(value) >= 0.05 else f"{value:.2g}").replace("-", "−")

"""The cause of an output that differs from its reference: a search error or a model error.

Numbers and strings only: no tensor, no torch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from models.decoding.judge.scored_text import ScoredText
from models.errors import Message, in_quotes

TOLERANCE = 1e-5  # nats by which two computations of one number may differ
ROUGH_TOLERANCE = 1e-3  # nats, for packed weights
MAX_PIECES, MAX_CHARACTERS = 3, 20  # of what a sentence quotes
SCORE, LOG_PROBABILITY = Message("score", "score"), Message("log_probability", "log-probability")
ALIKE, DIFFERENT = Message("alike", "they are alike"), Message("different", "they differ")
REVERSED = Message("reversed", "it is the other way round")
MODE_FOUND = Message(
    "mode_found", "The search found the mode: the model gives no other output a higher probability."
)
MODE_NOT_PROVEN = Message(
    "mode_not_proven",
    "Whether the search found the mode is not proven: the exact search ran out of its budget before it "
    "found a more likely output, and one may exist.",
)
CUT_OFF = Message(
    "reference_against_cut_off",
    "The output was cut off at the length limit: its score leaves out the end; it is too high.",
)
RATED_DIFFERENTLY = Message(
    "rated_differently",
    "The search rated the same tokens differently: its attention was replaced, or it used another "
    "normaliser.",
)
OTHER_RANKING = Message(
    "mode_ranked_otherwise",
    "The mode is that of the log-probability, and the search ranked by a length-normalised score.",
)


class ScoredOutput(Protocol):
    """An output with a score: a `ScoredText`, a hypothesis of a trace, or a similar object."""

    @property
    def text(self) -> str:
        """The text for a reader."""

    @property
    def token_ids(self) -> tuple[int, ...]:
        """T ids, the end token included if there is one."""

    @property
    def log_prob(self) -> float:
        """Sum over its tokens, in nats."""

    @property
    def score(self) -> float:
        """Length-normalised."""

    @property
    def ended(self) -> bool:
        """False: cut off at the length limit."""


@dataclass(frozen=True)
class ExactMode:
    """The most likely output that exact search found."""

    log_prob: float  # in nats
    complete: bool  # False: the budget ended first, and a more likely one may exist
    token_ids: tuple[int, ...] = ()  # empty if not known


class VerdictKind(str, Enum):
    """The cause of an output that differs from its reference."""

    SEARCH_ERROR = "search_error"  # the model prefers the reference to the output of the search
    MODEL_ERROR = "model_error"  # the model prefers the output of the search to the reference
    AGREEMENT = "agreement"  # the search wrote the reference
    TIE = "tie"  # other tokens, and the model prefers neither


@dataclass(frozen=True)
class Verdict:
    """The comparison of a reference with the best hypothesis of a search, and of that with the mode."""

    kind: VerdictKind  # the verdict by the score that the search ranked by
    explanation: str  # a sentence
    margin: float  # the reference's score minus the hypothesis'
    log_prob_margin: float  # the difference of the log-probabilities, in nats
    search_error: float | None = None  # nats from the hypothesis up to the mode; None without exact search
    proven: bool = False  # False: `search_error` is a lower bound
    mode_explanation: str = ""  # a sentence about `search_error`
    notes: tuple[str, ...] = ()  # sentences about doubts


def verdict(reference: ScoredText, best: ScoredOutput, exact: ExactMode | None = None) -> Verdict:
    """Compare a reference with the best output of a search (Stahlberg and Byrne 2019).

    `reference` must be scored with the normaliser of the search. The same text in other tokens is an
    agreement too.
    """
    kind = _kind(reference, best)
    size, proven, sentence = (None, False, "") if exact is None else _search_error(reference, best, exact)
    return Verdict(
        kind=kind,
        explanation=_explanation(kind, reference, best),
        margin=_difference(reference.score, best.score),
        log_prob_margin=_difference(reference.log_prob, best.log_prob),
        search_error=size,
        proven=proven,
        mode_explanation=sentence,
        notes=tuple(_notes(kind, reference, best, exact)),
    )


def _kind(reference: ScoredText, best: ScoredOutput) -> VerdictKind:
    if reference.token_ids == best.token_ids or reference.text.split() == best.text.split():
        return VerdictKind.AGREEMENT
    preference = _preference(reference, best)
    if preference == 0:
        return VerdictKind.TIE
    return VerdictKind.SEARCH_ERROR if preference > 0 else VerdictKind.MODEL_ERROR


def _preference(reference: ScoredOutput, best: ScoredOutput) -> int:
    """1 if the score of the reference is higher, -1 if the other's is, 0 if they are alike."""
    # A strong penalty shrinks every score, and with it what counts as a difference.
    tolerance = TOLERANCE * max(_scale(reference), _scale(best))
    return _sign(_difference(reference.score, best.score), tolerance)


def _scale(scored: ScoredOutput) -> float:
    if not scored.log_prob or not math.isfinite(scored.log_prob):
        return 0.0
    return abs(scored.score / scored.log_prob)


def _sign(difference: float, tolerance: float = TOLERANCE) -> int:
    return 0 if abs(difference) <= tolerance else int(math.copysign(1, difference))


def _difference(one: float, other: float) -> float:
    return 0.0 if one == other else one - other  # two infinities have no difference to compute


def _normalised(*scored: ScoredOutput) -> bool:
    return any(abs(_difference(x.score, x.log_prob)) > TOLERANCE for x in scored)


def _explanation(kind: VerdictKind, reference: ScoredText, best: ScoredOutput) -> Message:
    measure = SCORE if _normalised(reference, best) else LOG_PROBABILITY
    reference_score, best_score = _number(reference.score), _number(best.score)
    gap = _number(abs(_difference(reference.score, best.score)))
    if kind is VerdictKind.AGREEMENT and reference.token_ids == best.token_ids:
        return Message(
            "agreement",
            "Agreement: the search wrote the reference, {measure} {value}.",
            measure=measure,
            value=best_score,
        )
    if kind is VerdictKind.AGREEMENT:
        return Message(
            "agreement_in_other_tokens",
            "Agreement: the search wrote the text of the reference from other tokens, {measure} {value}; "
            "as the tokenizer cuts it, the text has {own}.",
            measure=measure,
            value=best_score,
            own=reference_score,
        )
    if kind is VerdictKind.TIE:
        return Message(
            "tie",
            "No error: the model rates the reference and the output found alike, {measure} {value}.",
            measure=measure,
            value=best_score,
        )
    if kind is VerdictKind.SEARCH_ERROR:
        return Message(
            "search_error",
            "Search error: the model rates the reference {gap} higher ({measure} {own}) than the output "
            "found ({found}).",
            gap=gap,
            measure=measure,
            own=reference_score,
            found=best_score,
        )
    return Message(
        "model_error",
        "Model error: the model rates the output found {gap} higher ({measure} {found}) than the "
        "reference ({own}), so a better search would not write the reference either.",
        gap=gap,
        measure=measure,
        found=best_score,
        own=reference_score,
    )


def _search_error(reference: ScoredOutput, best: ScoredOutput, exact: ExactMode) -> tuple[float, bool, str]:
    """Return the nats up to the mode, whether that is proven, and a sentence about it."""
    same = bool(exact.token_ids) and exact.token_ids == best.token_ids
    missed = 0.0 if same else max(0.0, _difference(exact.log_prob, best.log_prob))
    if exact.complete:
        if missed <= TOLERANCE:
            return missed, True, MODE_FOUND
        nats = _number(missed)
        return missed, True, Message("mode_missed", "The search missed the mode by {nats} nats.", nats=nats)
    # The reference is an output too: the mode is at least as likely.
    least = max(missed, _difference(reference.log_prob, best.log_prob))
    if least <= TOLERANCE:
        return 0.0, False, MODE_NOT_PROVEN
    at_least = Message(
        "mode_missed_by_at_least",
        "The search missed the mode by at least {nats} nats: a lower bound, because the exact search "
        "ran out of its budget.",
        nats=_number(least),
    )
    return least, False, at_least


def _notes(
    kind: VerdictKind, reference: ScoredText, best: ScoredOutput, exact: ExactMode | None
) -> Iterator[str]:
    """The doubts about the comparison."""
    if any(token.unknown for token in reference.tokens):
        yield Message(
            "reference_unknown",
            "The vocabulary lacks {words}: the model rates “unknown” in its place, so its score of this "
            "reference is unfair.",
            words=_quoted(reference.unknown),
        )
    if not best.ended:
        yield CUT_OFF
    margin = _difference(reference.log_prob, best.log_prob)
    if reference.token_ids == best.token_ids:
        if abs(margin) > ROUGH_TOLERANCE or _normalised(reference) != _normalised(best):
            yield RATED_DIFFERENTLY
    elif kind is not VerdictKind.AGREEMENT:
        yield from _normaliser_decides(reference, best)
    if exact is not None:
        yield from _doubts_of_the_mode(reference, best, exact)


def _normaliser_decides(reference: ScoredOutput, best: ScoredOutput) -> Iterator[str]:
    by_score = _preference(reference, best)
    by_log_prob = _sign(_difference(reference.log_prob, best.log_prob))
    if by_score == by_log_prob:
        return
    yield Message(
        "normaliser_decides",
        "By log-probability alone {other}, {own} nats for the reference and {found} for the output found: "
        "length normalisation decides.",
        other=ALIKE if not by_log_prob else DIFFERENT if not by_score else REVERSED,
        own=_number(reference.log_prob),
        found=_number(best.log_prob),
    )


def _doubts_of_the_mode(reference: ScoredOutput, best: ScoredOutput, exact: ExactMode) -> Iterator[str]:
    above = max(reference.log_prob, best.log_prob) - exact.log_prob
    if exact.complete and above > ROUGH_TOLERANCE:
        yield Message(
            "mode_out_of_reach",
            "One of these is {nats} nats more likely than the mode, so the exact search was not free to "
            "find it: raise its maximum length or drop its constraints.",
            nats=_number(above),
        )
    if _normalised(best):
        yield OTHER_RANKING


def _quoted(pieces: Sequence[str]) -> str:
    if not pieces:
        return Message("a_piece", "a piece of it")
    return in_quotes([_shortened(piece) for piece in pieces], MAX_PIECES)


def _shortened(piece: str) -> str:
    return piece if len(piece) <= MAX_CHARACTERS else piece[: MAX_CHARACTERS - 1] + "…"


def _number(value: float) -> str:
    """Format a number with a true minus sign; a small number keeps two significant digits."""
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    if value == 0:
        return "0.00"
    return (f"{value:.2f}" if abs(value) >= 0.05 else f"{value:.2g}").replace("-", "−")

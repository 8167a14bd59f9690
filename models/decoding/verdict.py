"""Whose mistake it is that a search did not write a reference: the search's or the model's.

Numbers and strings only: no tensor, no torch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from models.decoding.scored import ScoredText

TOLERANCE = 1e-5  # nats by which two ways to the same number may differ
ROUGH_TOLERANCE = 1e-3  # nats, where weights are packed
MOST_PIECES, MOST_CHARACTERS = 3, 20  # of what a sentence quotes


class Scored(Protocol):
    """What a verdict compares: a `ScoredText`, a hypothesis of a trace, or anything like them."""

    @property
    def text(self) -> str:
        """As a reader sees it."""

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
    """Whose mistake it is that the search did not write the reference."""

    SEARCH_ERROR = "search_error"  # the model prefers the reference, and the search missed it
    MODEL_ERROR = "model_error"  # the model itself prefers what the search found
    AGREEMENT = "agreement"  # the search wrote the reference
    TIE = "tie"  # other tokens, and the model prefers neither


@dataclass(frozen=True)
class Verdict:
    """A reference against the best hypothesis of a search, and that against the mode."""

    kind: VerdictKind  # by the score, which is what the search compared
    explanation: str  # a sentence
    margin: float  # the reference's score minus the hypothesis'
    log_prob_margin: float  # the same of the log-probabilities, in nats
    search_error: float | None = None  # nats from the hypothesis up to the mode; None without exact search
    proven: bool = False  # False: `search_error` is a lower bound
    mode_explanation: str = ""  # a sentence about `search_error`
    notes: tuple[str, ...] = ()  # sentences: what makes the comparison doubtful


def verdict(reference: ScoredText, best: Scored, exact: ExactMode | None = None) -> Verdict:
    """Who made the mistake (Stahlberg and Byrne 2019, section 3), with the numbers.

    `reference` must be scored under the normaliser that the search of `best` ranked by. The same text cut
    into other tokens is agreement too: nobody reads the difference.
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


def _kind(reference: ScoredText, best: Scored) -> VerdictKind:
    if reference.token_ids == best.token_ids or reference.text.split() == best.text.split():
        return VerdictKind.AGREEMENT
    preference = _preference(reference, best)
    if preference == 0:
        return VerdictKind.TIE
    return VerdictKind.SEARCH_ERROR if preference > 0 else VerdictKind.MODEL_ERROR


def _preference(reference: Scored, best: Scored) -> int:
    """1 if the score of the reference is higher, -1 if the other's is, 0 if they are alike."""
    # A strong penalty shrinks every score, and with it what counts as a difference.
    tolerance = TOLERANCE * max(_scale(reference), _scale(best))
    return _sign(_difference(reference.score, best.score), tolerance)


def _scale(scored: Scored) -> float:
    known = scored.log_prob and math.isfinite(scored.log_prob)
    return abs(scored.score / scored.log_prob) if known else 0.0


def _sign(difference: float, tolerance: float = TOLERANCE) -> int:
    return 0 if abs(difference) <= tolerance else int(math.copysign(1, difference))


def _difference(one: float, other: float) -> float:
    return 0.0 if one == other else one - other  # two infinities have no difference to compute


def _normalised(*scored: Scored) -> bool:
    return any(abs(_difference(each.score, each.log_prob)) > TOLERANCE for each in scored)


def _explanation(kind: VerdictKind, reference: ScoredText, best: Scored) -> str:
    measure = "score" if _normalised(reference, best) else "log-probability"
    own, found = _number(reference.score), _number(best.score)
    gap = _number(abs(_difference(reference.score, best.score)))
    if kind is VerdictKind.AGREEMENT and reference.token_ids == best.token_ids:
        return f"Agreement: the search wrote the reference, {measure} {found}."
    if kind is VerdictKind.AGREEMENT:
        return (
            f"Agreement: the search wrote the text of the reference from other tokens, {measure} {found}; "
            f"as the tokenizer cuts it, the text has {own}."
        )
    if kind is VerdictKind.TIE:
        return f"No error: the model rates the reference and the output found alike, {measure} {found}."
    if kind is VerdictKind.SEARCH_ERROR:
        return (
            f"Search error: the model rates the reference {gap} higher ({measure} {own}) than the best "
            f"output found ({found}), and the search missed it."
        )
    return (
        f"Model error: the model rates the output found {gap} higher ({measure} {found}) than the reference "
        f"({own}), so a better search would not write the reference either."
    )


def _search_error(reference: Scored, best: Scored, exact: ExactMode) -> tuple[float, bool, str]:
    """Nats up to the mode, whether that is proven, and a sentence about it."""
    same = bool(exact.token_ids) and exact.token_ids == best.token_ids
    missed = 0.0 if same else max(0.0, _difference(exact.log_prob, best.log_prob))
    if exact.complete:
        if missed <= TOLERANCE:
            sentence = "The search found the mode: the model gives no other output a higher probability."
        else:
            sentence = f"The search missed the mode by {_number(missed)} nats."
        return missed, True, sentence
    # The reference is an output too: the mode is at least as likely.
    least = max(missed, _difference(reference.log_prob, best.log_prob))
    if least > TOLERANCE:
        return (
            least,
            False,
            (
                f"The search missed the mode by at least {_number(least)} nats: "
                "a lower bound, because the exact search ran out of its budget."
            ),
        )
    return (
        0.0,
        False,
        (
            "Whether the search found the mode is not proven: the exact search ran out of its budget "
            "before it found a more likely output, and one may exist."
        ),
    )


def _notes(kind: VerdictKind, reference: ScoredText, best: Scored, exact: ExactMode | None) -> Iterator[str]:
    """What makes the comparison doubtful."""
    if any(token.unknown for token in reference.tokens):
        lacks = _quoted(reference.unknown) or "a piece of it"
        yield (
            f"The vocabulary lacks {lacks}: the model rates “unknown” in its place, "
            "so its score of this reference is unfair."
        )
    if not best.ended:
        yield "The output was cut off at the length limit: its score leaves out the end; it is too high."
    margin = _difference(reference.log_prob, best.log_prob)
    if reference.token_ids == best.token_ids:
        if abs(margin) > ROUGH_TOLERANCE or _normalised(reference) != _normalised(best):
            yield (
                "The search rated the same tokens differently: "
                "its attention was replaced, or it used another normaliser."
            )
    elif kind is not VerdictKind.AGREEMENT:
        yield from _normaliser_decides(reference, best)
    if exact is not None:
        yield from _doubts_of_the_mode(reference, best, exact)


def _normaliser_decides(reference: Scored, best: Scored) -> Iterator[str]:
    by_score = _preference(reference, best)
    by_log_prob = _sign(_difference(reference.log_prob, best.log_prob))
    if by_score == by_log_prob:
        return
    other = (
        "they are alike"
        if not by_log_prob
        else "they differ"
        if not by_score
        else "it is the other way round"
    )
    yield (
        f"By log-probability alone {other}, {_number(reference.log_prob)} nats for the reference and "
        f"{_number(best.log_prob)} for the output found: length normalisation decides."
    )


def _doubts_of_the_mode(reference: Scored, best: Scored, exact: ExactMode) -> Iterator[str]:
    above = max(reference.log_prob, best.log_prob) - exact.log_prob
    if exact.complete and above > ROUGH_TOLERANCE:
        yield (
            f"One of these is {_number(above)} nats more likely than the mode, so the exact search was not "
            "free to find it: raise its maximum length or drop its constraints."
        )
    if _normalised(best):
        yield "The mode is that of the log-probability, and the search ranked by a length-normalised score."


def _quoted(pieces: Sequence[str]) -> str:
    shown = [
        f"“{piece if len(piece) <= MOST_CHARACTERS else piece[: MOST_CHARACTERS - 1] + '…'}”"
        for piece in pieces[:MOST_PIECES]
    ]
    more = len(pieces) - MOST_PIECES
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _number(value: float) -> str:
    """With a true minus sign; a small number keeps two digits that say something."""
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    if value == 0:
        return "0.00"
    return (f"{value:.2f}" if abs(value) >= 0.05 else f"{value:.2g}").replace("-", "−")

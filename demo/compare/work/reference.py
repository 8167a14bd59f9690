"""A reference translation: the model's scores of it, what it says about the search, and BLEU and chrF."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from demo.compare.work.rows import DecodingOutcome, Row, done, likeliest, proven_mode
from demo.i18n import message_text, quoted, say
from demo.i18n.display import METASPACE, display_token, number_text, percent_text, whole_percent_text
from models.decoding.judge.reference_doubt import doubt_of_text
from models.decoding.judge.verdict import ScoredText, VerdictKind, verdict
from models.tokenization.plain_text import EOS

MAX_MEAN_NATS = 20  # nats for a token; the perplexity beyond it has more digits than a reader needs
SURE_PROBABILITY = 0.9  # probability from which a token counts as expected

MetricScores = tuple[Mapping[str, float], str]  # the scores of texts by a metric, and its signature
Scores = tuple[dict[str, float], dict[str, float], list[str]]  # BLEU and chrF by text, and their signatures


@dataclass(frozen=True)
class Fact:
    """A row of the verdict's table."""

    name: str
    log_prob: float  # nats
    text: str
    note: str = ""


@dataclass(frozen=True)
class Judgement:
    """The verdict in sentences; empty before there is an output."""

    kind: VerdictKind | None
    summary: str = ""  # short, beside other sentences
    explanation: str = ""  # the verdict at length, with its doubts


def judge(reference: ScoredText, rows: Sequence[Row], translated: str = "") -> Judgement:
    """Judge the reference against the proven mode, or against the most likely output without one.

    `translated` is the source if the output is to be in another language.
    """
    best = _best(rows)
    if best is None:
        return Judgement(None)
    row, outcome = best
    # Each row ranks by its own score; the reference belongs to no row, so log-probabilities are compared.
    copied = 100.0 if reference.text.casefold().split() == translated.casefold().split() else 0.0
    doubt = doubt_of_text(translated, reference.text, outcome.text, copied) if translated else None
    result = verdict(reference, outcome, doubt)
    rival = say("the mode") if proven_mode(rows) else say("the output of {name}", name=row.name)
    gap = number_text(abs(result.margin))
    lower = _ranked_lower(reference, rows) if result.kind is VerdictKind.SEARCH_ERROR else ""
    summary = {
        VerdictKind.AGREEMENT: say(
            "The reference is {rival}: neither the model nor the search made a mistake.", rival=rival
        ),
        VerdictKind.TIE: say(
            "The reference is as likely as {rival}: the model prefers neither.", rival=rival
        ),
        VerdictKind.SEARCH_ERROR: f"{_likelier(gap, row, bool(lower))} {lower}".rstrip(),
        VerdictKind.MODEL_ERROR: say(
            "The reference is {gap} nats less likely than {rival}: a model error if the reference is right, "
            "not a search error.",
            gap=gap,
            rival=rival,
        ),
    }[result.kind]
    if doubt is not None:
        summary = f"{summary} {message_text(doubt)}"
    sentences = (
        message_text(result.explanation),
        lower,
        least_likely_token_sentence(reference),
        *map(message_text, result.notes),
    )
    return Judgement(result.kind, summary, " ".join(filter(None, sentences)))


def _likelier(gap: str, best: Row, was_found: bool) -> str:
    """A sentence for a reference that is more likely than the first outputs of all searches."""
    if was_found:
        return say(
            "The reference is {gap} nats more likely than what any search ranks first: a ranking error, "
            "not a model error.",
            gap=gap,
        )
    if best.options.constraints():  # all rows have constraints then: a row without them would be the best
        return say(
            "The reference is {gap} nats more likely than any output that was found: the searches missed "
            "it, or their constraints forbade it.",
            gap=gap,
        )
    return say(
        "The reference is {gap} nats more likely than any output that was found: a search error, not a "
        "model error.",
        gap=gap,
    )


def _ranked_lower(reference: ScoredText, rows: Sequence[Row]) -> str:
    """A sentence about a search that found the reference but ranked it lower; empty without such a search."""
    words = reference.text.split()
    for row, outcome in done(rows):
        for rank, text in outcome.lower:
            if text.split() == words:
                return say(
                    "{name} found the reference too and ranks it {rank}, by a score of its own.",
                    name=row.name,
                    rank=rank,
                )
    return ""


def least_likely_token_sentence(reference: ScoredText) -> str:
    """A sentence about the least likely token of the reference, and the token expected there."""
    weakest = min(reference.tokens, key=lambda token: token.log_prob)
    if math.exp(weakest.log_prob) >= SURE_PROBABILITY:
        return say(
            "The model gives every token of it {bound} or more.", bound=whole_percent_text(SURE_PROBABILITY)
        )
    spelt = say("the end token") if weakest.surface == EOS else quoted(_spelt(weakest.surface))
    chance = percent_text(math.exp(weakest.log_prob))
    values = {"token": spelt, "percent": chance, "rank": f"{weakest.rank + 1:,}"}
    if weakest.rank and weakest.alternative is not None:
        other = percent_text(math.exp(weakest.alternative.log_prob))
        return say(
            "The model doubts {token} most: {percent}, rank {rank}; it expected {other}, {other_percent}.",
            **values,
            other=quoted(_spelt(weakest.alternative.token)),
            other_percent=other,
        )
    return say("The model doubts {token} most: {percent}, rank {rank}.", **values)


def facts(reference: ScoredText, rows: Sequence[Row]) -> list[Fact]:
    """The log-probability of the reference, and of the mode or the best output."""
    note = _note(len(reference.tokens), reference.log_prob, reference.opening)
    result = [Fact(say("Reference"), reference.log_prob, reference.text, note)]
    best = _best(rows)
    if best is not None:
        row, outcome = best
        name = (
            say("Mode, by {name}", name=row.name)
            if proven_mode(rows)
            else say("Best found, by {name}", name=row.name)
        )
        note = _note(len(outcome.token_ids), outcome.log_prob, reference.opening)
        result.append(Fact(name, outcome.log_prob, outcome.text, note))
    return result


def scores_of(texts: list[str], reference: str) -> Scores:
    """BLEU and chrF by text, and their signatures; all empty without a reference."""
    if not reference or not texts:
        return {}, {}, []
    from models.metrics.sentence import sentence_utility, signature

    bleu, chrf = (
        ({text: sentence_utility(text, reference, metric) for text in texts}, signature(metric))
        for metric in ("bleu", "chrf")
    )
    return rounded_scores(bleu, chrf)


def rounded_scores(bleu: MetricScores, chrf: MetricScores) -> Scores:
    """The scores as the page shows them, and the signatures with the names of their metrics."""
    rounded_bleu, rounded_chrf = (
        {text: round(value, 2) for text, value in values.items()} for values, _ in (bleu, chrf)
    )
    return rounded_bleu, rounded_chrf, [f"BLEU {bleu[1]}", f"chrF {chrf[1]}"]


def _note(length: int, log_prob: float, opening: int) -> str:
    """The number of tokens, and cross-entropy and perplexity of those after the opening that all have."""
    tokens = say("1 token") if length == 1 else say("{count} tokens", count=length)
    mean = -log_prob / max(length - opening, 1)
    if length <= opening or mean > MAX_MEAN_NATS:
        return tokens
    return say(
        "{tokens}, cross-entropy {mean}, perplexity {value}",
        tokens=tokens,
        mean=number_text(mean),
        value=number_text(math.exp(mean)),
    )


def _best(rows: Sequence[Row]) -> tuple[Row, DecodingOutcome] | None:
    return proven_mode(rows) or likeliest(rows)


def _spelt(surface: str) -> str:
    return display_token(surface.removeprefix(METASPACE) or surface)

"""A comparison in computed sentences: search errors, agreement of rows, distance to the reference."""

from __future__ import annotations

from collections.abc import Sequence

from demo.compare.work.rows import (
    LOG_PROB_TOLERANCE,
    DecodingOutcome,
    Mark,
    Row,
    Standing,
    done,
    likeliest,
    proven_mode,
)
from demo.i18n import later, listed, say
from demo.i18n.display import number_text
from models.decoding.status import Stop

MAX_NAMES = 3  # names in one sentence
STOPS = {
    Stop.BUDGET: later("its budget was spent"),
    Stop.TIME: later("its time was up"),
    Stop.CANCELLED: later("it was stopped"),
    Stop.SHUTDOWN: later("the server is shutting down"),
}


def summary(rows: Sequence[Row], marks: Sequence[Mark | None]) -> list[str]:
    """Sentences about search errors and the mode; empty before there is an output."""
    best = likeliest(rows)
    if best is None:
        return []
    pairs = [(row, mark) for row, mark in zip(rows, marks, strict=True) if mark is not None]
    sentences = [_errors([pair for pair in pairs if pair[1].standing is Standing.SEARCH_ERROR], best)]
    if not sentences[0]:
        sentences = [_agreement(pairs)]
    sentences.append(_mode(rows, best))
    aims = [row.name for row, mark in pairs if mark.standing is Standing.OWN_AIM]
    if aims:
        ranks = (
            say(
                "{names} ranks by a score of its own, and chose a less likely output by it.",
                names=_list(aims),
            )
            if len(aims) == 1
            else say(
                "{names} rank by scores of their own, and chose less likely outputs by them.",
                names=_list(aims),
            )
        )
        sentences.append(ranks)
    return [sentence for sentence in sentences if sentence]


def caption(rows: Sequence[Row], bleu: Sequence[float | None]) -> str:
    """A caption of the table: agreement of the rows, and the output closest to the reference."""
    result = list(done(rows))
    if not result:
        return ""
    texts = [outcome.text for _, outcome in result]
    distinct = len(set(texts))
    if len(result) == 1:
        agree = say("One output so far.")
    elif distinct == 1:
        agree = say("All {count} rows have the same output.", count=len(result))
    elif distinct == len(result):
        agree = say("Each of the {count} rows writes a different output.", count=distinct)
    else:
        most = max(set(texts), key=lambda text: (texts.count(text), -texts.index(text)))
        agree = say(
            "{count} rows, {different} different outputs; {alike} of them agree on one.",
            count=len(result),
            different=distinct,
            alike=texts.count(most),
        )
    return " ".join(filter(None, (agree, _closest(rows, bleu))))


def _errors(missed: list[tuple[Row, Mark]], best: tuple[Row, DecodingOutcome]) -> str:
    if not missed:
        return ""
    names = _list([row.name for row, _ in missed])
    gaps = sorted({number_text(mark.gap) for _, mark in missed}, key=lambda text: (len(text), text))
    size = gaps[0] if len(gaps) == 1 else say("{first} to {last}", first=gaps[0], last=gaps[-1])
    values = {"names": names, "finder": best[0].name, "nats": size}
    if len(missed) == 1:
        return say(
            "{names} makes a search error: {finder} finds an output {nats} nats more likely.", **values
        )
    return say("{names} make search errors: {finder} finds an output {nats} nats more likely.", **values)


def _agreement(pairs: list[tuple[Row, Mark]]) -> str:
    searches = [row for row, mark in pairs if mark.standing is not Standing.DRAW]
    if len(searches) < 2:
        return ""
    return say("No search error: no search missed an output that another one found.")


def _mode(rows: Sequence[Row], best: tuple[Row, DecodingOutcome]) -> str:
    mode = proven_mode(rows)
    if mode is not None and not mode[1].text:
        return say(
            "{name} proves that the mode is the empty output: the model gives no other output a "
            "higher probability.",
            name=mode[0].name,
        )
    if mode is not None:
        alone = [row.name for row, outcome in done(rows) if _same(outcome, mode[1])] == [mode[0].name]
        if alone and len(list(done(rows))) > 1:
            return say(
                "{name} alone finds the mode: the model gives no other output a higher probability.",
                name=mode[0].name,
            )
        if best[1].token_ids == mode[1].token_ids:
            return say(
                "{name} proves that this output is the mode: the model gives no other output a "
                "higher probability.",
                name=mode[0].name,
            )
        return say(
            "{name} finds the mode and proves it: the model gives no other output a higher probability.",
            name=mode[0].name,
        )
    for row, outcome in done(rows):
        if row.strategy.complete and outcome.stop is not Stop.COMPLETE:
            why = say(STOPS.get(outcome.stop, STOPS[Stop.CANCELLED]))
            if outcome.expanded is None:
                return say(
                    "{name} ended, when {why}: a more likely output may exist.", name=row.name, why=why
                )
            return say(
                "{name} ended after the model had scored {count} prefixes, when {why}: a more likely "
                "output may exist.",
                name=row.name,
                count=f"{outcome.expanded:,}",
                why=why,
            )
    return ""


def _closest(rows: Sequence[Row], bleu: Sequence[float | None]) -> str:
    """A sentence on whether the most likely output is also closest to the reference."""
    scored = [
        (score, row.name, row.outcome)
        for row, score in zip(rows, bleu, strict=True)
        if score is not None and row.outcome is not None
    ]
    best = likeliest(rows)
    if not scored or best is None:
        return ""
    top = max(score for score, _, _ in scored)
    best_bleu = next((score for score, _, outcome in scored if outcome.token_ids == best[1].token_ids), None)
    if best_bleu is None:
        return ""
    if top - best_bleu < 0.05:
        return say("The most likely output is also as close to the reference as any, by BLEU.")
    name = next(name for score, name, _ in scored if score == top)
    return say(
        "{name} is closest to the reference, BLEU {top}; the most likely output has {bleu}: "
        "likelier is not always better.",
        name=name,
        top=number_text(top, 1),
        bleu=number_text(best_bleu, 1),
    )


def _same(one: DecodingOutcome, other: DecodingOutcome) -> bool:
    return one.token_ids == other.token_ids or abs(one.log_prob - other.log_prob) <= LOG_PROB_TOLERANCE


def _list(names: Sequence[str]) -> str:
    if len(names) > MAX_NAMES:
        names = [*names[: MAX_NAMES - 1], say("{count} others", count=len(names) - MAX_NAMES + 1)]
    if len(names) == 1:
        return names[0]
    return say("{names} and {last}", names=listed(names[:-1]), last=names[-1])

"""A comparison in sentences: who made which mistake, and what to look for in the table. All computed."""

from __future__ import annotations

from collections.abc import Sequence

from demo.comparison.entries import (
    COMPLETE,
    TOLERANCE,
    Entry,
    Mark,
    Outcome,
    Standing,
    done,
    likeliest,
    proven_mode,
)
from demo.text import number_text
from models.decoding.trace import Stop

MOST_NAMES = 3  # in one sentence
UNBEATEN = "the model gives no other output a higher probability"
STOPS = {
    Stop.BUDGET: "its budget was spent",
    Stop.TIME: "its time was up",
    Stop.CANCELLED: "it was stopped",
}


def summary(entries: Sequence[Entry], marks: Sequence[Mark | None]) -> list[str]:
    """Who made a mistake in the search and who did not; empty before anything is found."""
    best = likeliest(entries)
    if best is None:
        return []
    pairs = [(entry, mark) for entry, mark in zip(entries, marks, strict=True) if mark is not None]
    sentences = [_errors([pair for pair in pairs if pair[1].standing is Standing.SEARCH_ERROR], best)]
    if not sentences[0]:
        sentences = [_agreement(pairs)]
    sentences.append(_mode(entries, best))
    aims = [entry.name for entry, mark in pairs if mark.standing is Standing.OWN_AIM]
    if aims:
        verb = "ranks" if len(aims) == 1 else "rank"
        sentences.append(f"{_list(aims)} {verb} by a score of its own, and chose a less likely output by it.")
    return [sentence for sentence in sentences if sentence]


def caption(entries: Sequence[Entry], bleu: Sequence[float | None]) -> str:
    """What to look for in this table: how far the rows agree, and whether likelier is also closer."""
    found = list(done(entries))
    if not found:
        return ""
    texts = [outcome.text for _, outcome in found]
    distinct = len(set(texts))
    if len(found) == 1:
        agree = "One output so far."
    elif distinct == 1:
        agree = f"All {len(found)} rows write the same."
    else:
        most = max(set(texts), key=lambda text: (texts.count(text), -texts.index(text)))
        agree = f"{len(found)} rows, {distinct} different outputs; {texts.count(most)} of them agree on one."
    return " ".join(filter(None, (agree, _closest(entries, bleu))))


def _errors(missed: list[tuple[Entry, Mark]], best: tuple[Entry, Outcome]) -> str:
    if not missed:
        return ""
    names = _list([entry.name for entry, _ in missed])
    gaps = sorted({number_text(mark.gap) for _, mark in missed}, key=lambda text: (len(text), text))
    size = gaps[0] if len(gaps) == 1 else f"{gaps[0]} to {gaps[-1]}"
    verb = "makes a search error" if len(missed) == 1 else "make search errors"
    finder = best[0].name
    return f"{names} {verb}: {finder} finds an output {size} nats more likely."


def _agreement(pairs: list[tuple[Entry, Mark]]) -> str:
    searches = [entry for entry, mark in pairs if mark.standing is not Standing.DRAW]
    if len(searches) < 2:
        return ""
    return "No search error: no search missed an output that another one found."


def _mode(entries: Sequence[Entry], best: tuple[Entry, Outcome]) -> str:
    mode = proven_mode(entries)
    if mode is not None and not mode[1].text:
        return f"{mode[0].name} proves that the mode is the empty output: {UNBEATEN}."
    if mode is not None:
        alone = [entry.name for entry, outcome in done(entries) if _same(outcome, mode[1])] == [mode[0].name]
        if alone and len(list(done(entries))) > 1:
            return (
                f"{mode[0].name} alone finds the mode: the model gives no other output a higher probability."
            )
        if best[1].token_ids == mode[1].token_ids:
            return f"{mode[0].name} proves that this output is the mode: {UNBEATEN}."
        return f"{mode[0].name} finds the mode and proves it: {UNBEATEN}."
    for entry, outcome in done(entries):
        if entry.settings.strategy in COMPLETE and outcome.stop is not Stop.COMPLETE:
            looked = f" after {outcome.expanded:,} prefixes" if outcome.expanded is not None else ""
            why = STOPS.get(outcome.stop, "it was stopped")
            return f"{entry.name} ended{looked}, when {why}: a more likely output may exist."
    return ""


def _closest(entries: Sequence[Entry], bleu: Sequence[float | None]) -> str:
    """Whether the most likely output is also the one nearest to the reference."""
    scored = [
        (score, entry.name, entry.outcome)
        for entry, score in zip(entries, bleu, strict=True)
        if score is not None and entry.outcome is not None
    ]
    best = likeliest(entries)
    if not scored or best is None:
        return ""
    top = max(score for score, _, _ in scored)
    mine = next((score for score, _, outcome in scored if outcome.token_ids == best[1].token_ids), None)
    if mine is None:
        return ""
    if top - mine < 0.05:
        return "The most likely output is also as close to the reference as any, by BLEU."
    name = next(name for score, name, _ in scored if score == top)
    return (
        f"{name} is closest to the reference, BLEU {top:.1f}; "
        f"the most likely output has {mine:.1f}: likelier is not always better."
    )


def _same(one: Outcome, other: Outcome) -> bool:
    return one.token_ids == other.token_ids or abs(one.log_prob - other.log_prob) <= TOLERANCE


def _list(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} others"]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))

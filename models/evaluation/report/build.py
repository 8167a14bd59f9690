"""Everything that an evaluation says of systems on a test set, as plain JSON types.

Sentences are Messages, which JSON writes in English; whoever shows them can say them in another language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from itertools import combinations
from typing import Any

from models.budget import rest
from models.errors import Message
from models.evaluation.beam_widths.step import at_widths
from models.evaluation.breakdowns import (
    Breakdown,
    by_sentence_score,
    by_source_length,
    by_training_frequency,
    by_unknown_words,
)
from models.evaluation.calibration import calibration
from models.evaluation.command import name_of, settings_of
from models.evaluation.figures import figures, measured
from models.evaluation.ngram_differences import LONGEST, ngram_differences
from models.evaluation.report.bleu import bleu_in_parts
from models.evaluation.report.changed import changed_sources
from models.evaluation.run import ALONE
from models.evaluation.systems import Result
from models.evaluation.triage.triage import Triage, triage
from models.metrics.significance import difference
from models.metrics.words import words
from models.training.loop.process_group import Group

Seen = Mapping[str, int]
Tell = Callable[[Message, float], None]  # what comes next, and the share of all that is done
# How long the parts take beside the causes, which take the most of it where there are any.
FIGURES, DIFFERENCES, BREAKDOWNS, CAUSES, CHANGES = 1.0, 2.0, 1.0, 20.0, 10.0


def build_report(
    results: Sequence[Result],
    *,
    training_sources: Seen | None = None,
    training_targets: Seen | None = None,
    tell: Tell = lambda what, share: None,
    group: Group = ALONE,
    changes: int = 0,
) -> dict[str, Any]:
    """Figures, differences, breakdowns, triage and a row for each segment.

    `changes`: of so many segments the sources are changed in every way that makes sense.
    `training_sources` and `training_targets`: how often each word stood in the training data. `tell` is
    told what comes next and how far all has come, and may raise to stop. All processes of a group must call
    it. Raises ValueError without a system.
    """
    if not results:
        raise ValueError("there is no system to evaluate: name a checkpoint, or give a column of outputs")
    segments = results[0].segments
    steps = _Steps(tell, results, bool(changes))
    systems = []
    for result in results:
        steps.begin(Message("figures_of", "Figures of {system}", system=result.name), FIGURES)
        systems.append(_system(result))
    pairs = [(a, b, name) for a, b in combinations(results, 2) for name in _shared(a, b)]
    differences = []
    for a, b, name in pairs:
        steps.begin(Message("differences", "Differences"), DIFFERENCES)
        differences.append(asdict_of(a, b, name))
    steps.begin(Message("breakdowns", "Breakdowns"), BREAKDOWNS)
    found = [by_source_length(results), by_unknown_words(results), by_sentence_score(results)]
    if training_targets is not None:
        found.append(by_training_frequency(results, training_targets))
    looked: dict[str, Triage] = {}
    for result, system in zip(results, systems, strict=True):
        if result.system is not None:
            steps.begin(Message("causes_in", "Causes in {system}", system=result.name), CAUSES)
            looked[result.name] = triage(result, training_sources, tell=steps.within, group=group)
            system["triage"] = _triage(looked[result.name])
    if changes:
        steps.begin(Message("changed_sources", "Changed sources"), CHANGES)
    return {
        "date": date.today().isoformat(),
        "segments": len(segments),
        "references": sum(len(segment.references) for segment in segments.all),
        "notes": list(segments.notes),
        "left_out": [asdict(row) for row in segments.left_out],
        "left_out_count": segments.left_out_count,
        "systems": systems,
        "differences": differences,
        "changes": changed_sources(results, changes) if changes else [],
        "width_curves": [],  # for whoever measures them: models.evaluation.beam_widths
        "breakdowns": [_breakdown(each) for each in found if each is not None],
        "rows": [_row(at, results, looked) for at in range(len(segments))],
    }


class _Steps:
    """Says what comes next, and how far all of it has come."""

    def __init__(self, tell: Tell, results: Sequence[Result], changes: bool) -> None:
        self._tell = tell
        pairs = sum(len(_shared(a, b)) for a, b in combinations(results, 2))
        asked = sum(result.system is not None for result in results)
        self._whole = FIGURES * len(results) + DIFFERENCES * pairs + BREAKDOWNS
        self._whole += (CAUSES + CHANGES * changes) * asked
        self._done = self._cost = 0.0
        self._what = Message("begins", "Getting ready.")

    def begin(self, what: Message, cost: float) -> None:
        """The next step, which is as long as `cost`; whoever is told may raise to stop."""
        self._done += self._cost
        self._what, self._cost = what, cost
        rest()
        self.within(0.0)

    def within(self, share: float) -> None:
        """How far the step has come, 0 to 1."""
        self._tell(self._what, (self._done + share * self._cost) / self._whole)


def counts(texts: Sequence[str], language: str) -> Counter[str]:
    """How often each word stands in some texts."""
    return Counter(word for text in texts for word in words(text, language))


def asdict_of(a: Result, b: Result, name: str) -> dict[str, Any]:
    """One metric of two systems."""
    found = difference(measured(a)[name], measured(b)[name])
    return {"a": a.name, "b": b.name, "metric": name, **asdict(found), "significant": found.significant}


def _shared(a: Result, b: Result) -> list[str]:
    return [name for name in measured(a) if name in measured(b)]


def _system(result: Result) -> dict[str, Any]:
    system = result.system
    return {
        "name": result.name,
        "checkpoint": system.checkpoint.name if system else "",
        "decoding": name_of(system.options) if system else "",
        "settings": settings_of(system.options) if system else {},
        "widths": list(at_widths(system.options)) if system else [],  # at which it could be run
        "seconds": round(result.seconds, 2),
        "figures": [asdict(figure) for figure in figures(result)],
        "bleu": bleu_in_parts(result),
        "calibration": asdict(calibration(result.forced)) if result.forced else None,
        "ngrams": {
            str(order): asdict(
                ngram_differences(result.outputs, result.segments.references, result.language, order)
            )
            for order in range(1, LONGEST + 1)
        },
    }


def _breakdown(each: Breakdown) -> dict[str, Any]:
    bins = [
        {
            "label": one.label,
            "count": one.count,
            "figures": {name: asdict(figure) for name, figure in one.figures.items()},
        }
        for one in each.bins
    ]
    return {"name": each.name, "title": each.title, "measure": each.measure, "bins": bins}


def _triage(found: Triage) -> dict[str, Any]:
    causes = {each.cause.name: each.cause for each in found.diagnoses}
    return {
        "bad_below": found.threshold,
        "bad": found.bad,
        "looked_into": len(found.diagnoses),
        "causes": [
            {"name": name, "title": causes[name].title, "knob": causes[name].knob, "share": share}
            for name, share in found.shares.items()
        ],
    }


def _row(at: int, results: Sequence[Result], looked: Mapping[str, Triage]) -> dict[str, Any]:
    segment = results[0].segments.all[at]
    scores = results[0].segments.scores
    return {
        "line": segment.line,
        "source": segment.source,
        "references": list(segment.references),
        "scores": {name: values[at] for name, values in scores.items()},
        "systems": {result.name: _cell(at, result, looked.get(result.name)) for result in results},
    }


def _cell(at: int, result: Result, looked: Triage | None) -> dict[str, Any]:
    cell: dict[str, Any] = {"output": result.outputs[at], "chrf": round(result.sentence_chrf[at], 2)}
    if result.written:
        written = result.written[at]
        cell |= {
            "log_prob": round(written.log_prob, 4),
            "score": round(written.score, 4),
            "reference_score": round(written.reference_score, 4),
            "doubt": round(-written.log_prob / max(1, written.tokens), 4),  # nats a token
        }
    diagnosis = None if looked is None else looked.of(at)
    if diagnosis is not None:
        cell |= {
            "cause": diagnosis.cause.name,
            "evidence": diagnosis.evidence,
            "knob": diagnosis.cause.knob,
        }
    return cell

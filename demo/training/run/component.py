"""One training run on the page: its state, curves, samples and probe sentence, updated in place.

Root element: `section.run-view`, inside the block that `elem_id` names. `data-ready` counts the complete
drawings, charts included; `data-state` is the run's state, or "none"; `data-work` is its kind of work;
`data-step` is the step of the evaluation under the scrubber, `data-following` is "true" while that is the
newest one. While a resting run is visible, the event `rest` checks every few seconds whether it still rests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from demo.i18n.display import display_token
from demo.training.run.status import status_facts
from demo.training.work.run_report import RunReport, fine_tuning_pairs
from demo.widgets.answers.word_diff import diff_parts
from demo.widgets.captions.run import chart_sentences, probe_sentence
from demo.widgets.figures.attention import probe_figure, shown_rows
from demo.widgets.figures.curves.training import (
    CHARTS,
    MAX_OVERLAY_POINTS,
    TrainingCurves,
    curve_figure,
    training_curves,
)
from demo.widgets.figures.figure import dark_by_light
from demo.widgets.view.modules import plotly_address
from demo.widgets.view.payload import json_text, packed_shares, significant
from demo.widgets.view.view import View, with_colours
from models.training.events import (
    EvaluationCompleted,
    ProbeDecoded,
    SampleDecoded,
    StepCompleted,
    TrainingEvent,
)

MAX_SNAPSHOTS = 120  # snapshots
MAX_WEIGHTS = 120_000  # attention weights in all snapshots
MIN_SNAPSHOTS = 24  # snapshots, however large each is
DIGITS = 4  # significant digits of a loss or a score


class RunView(View):
    """Draws a `RunReport`, or a sentence that says why there is none any more.

    Scrubbing and zooming need no server. A new report of the same run keeps the reader's choices.
    """

    reads_browser = False

    def __init__(self, value: RunReport | str | None = None, **options: Any) -> None:
        """`options` are those of `gr.HTML`; the template and the code are fixed."""
        super().__init__(
            "training/run",
            value,
            style=with_colours(".run-view", "training/run/view.css"),
            events=("rest",),
            label="Training run",
            plotly_source=plotly_address(),
            **options,
        )

    def postprocess(self, value: RunReport | str | None) -> str | None:
        """Convert the value to one string, which Gradio sends only if it differs from the last one."""
        if isinstance(value, str):
            return json_text({"gone": value})
        return None if value is None else run_payload(value)


@dataclass(frozen=True)
class Snapshot:
    """The state of a run at one evaluation."""

    step: int
    loss: float | None = None  # the validation loss
    train: float | None = None  # the latest training loss before the evaluation
    bleu: float | None = None
    exact_match: float | None = None
    best: bool = False  # the lowest validation loss of the whole run
    samples: tuple[SampleDecoded, ...] = ()
    probe: ProbeDecoded | None = None


def snapshots(events: Iterable[TrainingEvent]) -> tuple[Snapshot, ...]:
    """The snapshots in the order of their steps; they always include the first, the best and the newest."""
    by_step: dict[int, Snapshot] = {}
    train: float | None = None
    for event in events:
        if isinstance(event, StepCompleted):
            train = event.loss
        elif isinstance(event, EvaluationCompleted | SampleDecoded | ProbeDecoded):
            before = by_step.get(event.step, Snapshot(event.step))
            changes: dict[str, Any] = {"train": train}
            if isinstance(event, SampleDecoded):
                changes["samples"] = (*before.samples, event)
            elif isinstance(event, ProbeDecoded):
                changes["probe"] = event
            else:
                changes |= {"loss": event.loss, "bleu": event.bleu, "exact_match": event.exact_match}
            by_step[event.step] = replace(before, **changes)
    every = [by_step[step] for step in sorted(by_step)]
    evaluated = [snapshot for snapshot in every if snapshot.loss is not None]
    best = min(evaluated, key=lambda snapshot: (snapshot.loss, snapshot.step), default=None)
    every = [replace(snapshot, best=snapshot is best) for snapshot in every]
    stride = _stride(every)
    last = len(every) - 1
    return tuple(s for index, s in enumerate(every) if index % stride == 0 or index == last or s.best)


def _stride(every: Sequence[Snapshot]) -> int:
    """The distance between two snapshots: a power of two, so that a growing run drops every second one."""
    probes = [snapshot.probe for snapshot in every if snapshot.probe is not None]
    weights = sum(len(probe.free_running) * len(probe.source) for probe in probes if probe.attention) or 1
    room = max(MIN_SNAPSHOTS, min(MAX_SNAPSHOTS, MAX_WEIGHTS * len(every) // weights))
    stride = 1
    while len(every) / stride > room - 2:  # the best and the newest come on top
        stride *= 2
    return stride


def run_payload(report: RunReport) -> str:
    """The run as JSON text; the same run twice gives the same text."""
    curves = training_curves(report.events, report.score, clip_norm=report.clip_norm)
    content = {
        "id": report.id,
        "title": report.title,
        "mark": report.mark,
        "status": status_facts(report),
        "charts": _charts(report, curves),
        "captions": chart_sentences(curves, report.score),
        "score": report.score,
        "overlays": [title for title, _ in report.overlays],
        "taught": [asdict(pair) for pair in fine_tuning_pairs(report.events)],
        **_history(report),
        "dark": dark_by_light(),
    }
    return json_text(content)


def _charts(report: RunReport, curves: TrainingCurves) -> dict[str, Any]:
    earlier: dict[str, TrainingCurves] = {}
    for title, events in report.overlays:
        while title in earlier:  # two runs may have the same name
            title += "′"
        earlier[title] = training_curves(events, report.score, MAX_OVERLAY_POINTS)
    return {name: curve_figure(name, curves, earlier, report.score).to_plotly_json() for name in CHARTS}


def _history(report: RunReport) -> dict[str, Any]:
    """The snapshots for the scrubber, and the data that they share."""
    history = snapshots(report.events)
    probes = [snapshot.probe for snapshot in history if snapshot.probe is not None]
    figure = probe_figure(probes)
    rows = shown_rows(probes)
    pairs = list(dict.fromkeys((s.source, s.reference) for snapshot in history for s in snapshot.samples))
    pair_indices = {pair: index for index, pair in enumerate(pairs)}
    newest = probes[-1] if probes else None
    return {
        "probe": newest
        and {
            "source": [display_token(token) for token in newest.source],
            "reference": [display_token(token) for token in newest.reference],
            "figure": figure and figure.to_plotly_json(),
            "rows": rows,
        },
        "pairs": pairs,
        "snapshots": [_snapshot(snapshot, pair_indices, rows) for snapshot in history],
    }


def _snapshot(snapshot: Snapshot, pair_indices: dict[tuple[str, str], int], rows: int) -> dict[str, Any]:
    return {
        "step": snapshot.step,
        "loss": significant(snapshot.loss, DIGITS),
        "train": significant(snapshot.train, DIGITS),
        "bleu": significant(snapshot.bleu, DIGITS),
        "exact": significant(snapshot.exact_match, DIGITS),
        "best": snapshot.best,
        "samples": [
            {
                "pair": pair_indices[sample.source, sample.reference],
                "output": sample.output,
                "parts": _parts(sample.reference, sample.output),
            }
            for sample in snapshot.samples
        ],
        "probe": snapshot.probe and _probe(snapshot.probe, rows),
    }


def _probe(probe: ProbeDecoded, rows: int) -> dict[str, Any]:
    attention = None
    if probe.attention is not None:
        attention = packed_shares([weight for row in probe.attention[:rows] for weight in row])
    return {
        "free": [display_token(token) for token in probe.free_running[:rows]],
        "more": max(0, len(probe.free_running) - rows),
        "freeShares": packed_shares(probe.free_running_probabilities[:rows]),
        "forced": [display_token(token) for token in probe.teacher_forced],
        "referenceShares": packed_shares(probe.reference_probabilities),
        "divergence": probe.divergence,
        "attention": attention,
        "caption": probe_sentence(probe),
    }


@lru_cache(maxsize=4096)
def _parts(reference: str, output: str) -> list[tuple[str, str]] | None:
    """The difference from the reference, by words, or by characters for a single word; None if equal."""
    if reference == output:
        return None
    if len(reference.split()) != 1:
        return list(diff_parts(reference, output))
    parts: list[tuple[str, str]] = []
    for kind, start, end, begin, stop in SequenceMatcher(a=reference, b=output, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(("same", output[begin:stop]))
        else:
            differences = (("removed", reference[start:end]), ("added", output[begin:stop]))
            parts += [part for part in differences if part[1]]
    return parts

"""The curve of rows that differ only in their beam width, and the widths that are missing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from demo.answers.content import Chart, Content, as_sent
from demo.figures.curves.beam_widths import HEADING, LENGTH, Panel, width_figure
from demo.i18n import message_text, say
from demo.operator.caps import MAX_BEAM_SIZE
from demo.requests.options import chosen_settings
from demo.service.comparison.entries import DecodingOutcome, Entry
from demo.service.comparison.result import StrategyComparison
from models.decoding.options import DecodingOptions
from models.evaluation.beam_widths.change import (
    DEFAULT_WIDTHS,
    GREEDY,
    BestOutput,
    WidthChange,
    change_between,
    indices_by_width,
    options_by_width,
)
from models.evaluation.beam_widths.one_sentence import findings_of_one

MIN_WIDTHS = 3  # widths of a curve; for two the table is enough


def widths_payload(comparison: StrategyComparison, chrf: Sequence[float | None]) -> dict[str, Any]:
    """`curve` in the form of a view of Inspect when all rows are done; `wider` is the request of a button."""
    wider = same_at_every_width(comparison.entries)
    if wider is not None:
        # The form lacks the maximum length, which depends on the checkpoint.
        rows = [chosen_settings(options) for options in wider[1]]
        strategies = [{name: row[name] for name in row if name != "max_length"} for row in rows]
        wider_label = say("{name} at every beam width", name=wider[0])
    return {
        "curve": width_curve(comparison.entries, chrf) if comparison.finished else None,
        "wider": wider and {"label": wider_label, "strategies": strategies},
    }


def width_curve(entries: Sequence[Entry], chrf: Sequence[float | None]) -> dict[str, Any] | None:
    """The curve of the largest group of done rows, with `chrf` by row; None for fewer than three widths."""
    finished_rows = [
        (entry, entry.outcome, score) for entry, score in zip(entries, chrf, strict=True) if entry.outcome
    ]
    rows = [
        finished_rows[index] for index in indices_by_width([entry.settings for entry, _, _ in finished_rows])
    ]
    if len(rows) < MIN_WIDTHS:
        return None
    widths = [_width(entry.settings) for entry, _, _ in rows]
    outputs = [_best(outcome, score) for _, outcome, score in rows]
    panels = [Panel(say("score"), [output.score for output in outputs], digits=3)]
    if outputs[0].chrf is not None:
        falls = [False, *(change_between(*pair) is WidthChange.WORSE for pair in pairwise(outputs))]
        panels.append(Panel("chrF", [output.chrf for output in outputs], marked=falls, digits=1))
    panels.append(Panel(say(LENGTH), [len(output.tokens) for output in outputs], digits=0))
    title = say(HEADING)
    chart = Chart("widths", title, width_figure(widths, panels))
    return as_sent(Content([*map(message_text, findings_of_one(widths, outputs))], [chart]), ())


def same_at_every_width(entries: Sequence[Entry]) -> tuple[str, list[DecodingOptions]] | None:
    """The first row with a beam, and its options at every width; None if all widths are there already."""
    widths = [width for width in DEFAULT_WIDTHS if width <= MAX_BEAM_SIZE]
    for entry in sorted(entries, key=lambda entry: entry.settings.strategy == GREEDY):
        widths_of_entry = list(options_by_width(entry.settings, widths).values())
        widest_count = len(indices_by_width([*widths_of_entry, *(other.settings for other in entries)]))
        if (
            len(widths_of_entry) >= MIN_WIDTHS
            and len(indices_by_width([other.settings for other in entries])) < widest_count
        ):
            return entry.name, widths_of_entry
    return None


def _width(options: DecodingOptions) -> int:
    return 1 if options.strategy == GREEDY else options.beam_size


def _best(outcome: DecodingOutcome, chrf: float | None) -> BestOutput:
    return BestOutput(outcome.token_ids, outcome.score, chrf)

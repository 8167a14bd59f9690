"""The curve of rows that differ only in their beam width, and the widths that are missing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from demo.compare.work.rows import Row, StrategyComparison
from demo.i18n import message_text, say
from demo.widgets.answers.content import Chart, Content, as_sent
from demo.widgets.figures.curves.beam_widths import HEADING, LENGTH, Panel, width_figure
from demo.work.operator.caps import MAX_BEAM_SIZE
from demo.work.requests.decode import chosen_settings
from models.decoding.options import DecodingOptions
from models.decoding.strategies import description_of
from models.evaluation.beam_widths.curve import (
    DEFAULT_WIDTHS,
    GREEDY,
    BestOutput,
    WidthChange,
    change_between,
    indices_by_width,
    options_by_width,
)
from models.evaluation.beam_widths.findings import findings_of_one

MIN_WIDTHS = 3  # widths of a curve; for two the table is enough


def widths_payload(comparison: StrategyComparison, chrf: Sequence[float | None]) -> dict[str, Any]:
    """`curve` in the form of a view of Inspect when all rows are done; `wider` is the request of a button."""
    wider = same_at_every_width(comparison.rows)
    if wider is not None:
        # The form lacks the maximum length, which depends on the checkpoint.
        settings = [chosen_settings(options) for options in wider[1]]
        strategies = [{name: of_row[name] for name in of_row if name != "max_length"} for of_row in settings]
        wider_label = say("{name} at every beam width", name=wider[0])
    return {
        "curve": width_curve(comparison.rows, chrf) if comparison.finished else None,
        "wider": wider and {"label": wider_label, "strategies": strategies},
    }


def width_curve(rows: Sequence[Row], chrf: Sequence[float | None]) -> dict[str, Any] | None:
    """The curve of the largest group of done rows, with `chrf` by row; None for fewer than three widths."""
    finished = [(row, row.outcome, score) for row, score in zip(rows, chrf, strict=True) if row.outcome]
    group = [finished[index] for index in indices_by_width([row.options for row, _, _ in finished])]
    if len(group) < MIN_WIDTHS:
        return None
    widths = [1 if row.options.strategy == GREEDY else row.options.beam_size for row, _, _ in group]
    outputs = [BestOutput(outcome.token_ids, outcome.score, score) for _, outcome, score in group]
    panels = [Panel(say("score"), [output.score for output in outputs], digits=3)]
    if outputs[0].chrf is not None:
        falls = [False, *(change_between(*pair) is WidthChange.WORSE for pair in pairwise(outputs))]
        panels.append(Panel("chrF", [output.chrf for output in outputs], marked=falls, digits=1))
    panels.append(Panel(say(LENGTH), [len(output.tokens) for output in outputs], digits=0))
    title = say(HEADING)
    chart = Chart("widths", title, width_figure(widths, panels))
    return as_sent(Content([*map(message_text, findings_of_one(widths, outputs))], [chart]), ())


def same_at_every_width(rows: Sequence[Row]) -> tuple[str, list[DecodingOptions]] | None:
    """A search with a beam, and its options at every width; None if all widths are there already.

    The first row with a beam decides, or greedy search, which is a beam search of width 1.
    """
    widths = [width for width in DEFAULT_WIDTHS if width <= MAX_BEAM_SIZE]
    for row in sorted(rows, key=lambda row: row.options.strategy == GREEDY):
        widths_of_row = list(options_by_width(row.options, widths).values())
        options = [other.options for other in rows]
        is_more = len(indices_by_width([*widths_of_row, *options])) > len(indices_by_width(options))
        if len(widths_of_row) >= MIN_WIDTHS and is_more:
            beam = say(description_of(widths_of_row[-1].strategy).label)
            return beam if row.options.strategy == GREEDY else row.name, widths_of_row
    return None

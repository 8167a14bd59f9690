"""The rows of a comparison that differ in their beam width alone, as a curve; and how to get all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from demo.answers.content import Chart, Content, as_sent
from demo.figures.width_curve import HEADING, LENGTH, Panel, width_figure
from demo.i18n import say, tell
from demo.operator.caps import MAX_BEAM_SIZE
from demo.requests.options import chosen_settings
from demo.service.comparison.entries import Entry, Outcome
from demo.service.comparison.result import StrategyComparison
from models.decoding.options import DecodingOptions
from models.evaluation.beam_widths.one_sentence import findings_of_one
from models.evaluation.beam_widths.step import GREEDY, WIDTHS, Best, WidthStep, at_widths, step, widest

FEWEST = 3  # widths; two say more in the table


def widths_payload(comparison: StrategyComparison, chrf: Sequence[float | None]) -> dict[str, Any]:
    """`curve` as a view of Inspect is sent, once all rows are there; `wider` is what a button asks for."""
    wider = same_at_every_width(comparison.entries)
    if wider is not None:
        # The longest output is the checkpoint's: the form says nothing of it.
        rows = [chosen_settings(options) for options in wider[1]]
        strategies = [{name: row[name] for name in row if name != "max_length"} for row in rows]
        wider_told = say("{name} at every beam width", name=wider[0])
    return {
        "curve": width_curve(comparison.entries, chrf) if comparison.finished else None,
        "wider": wider and {"told": wider_told, "strategies": strategies},
    }


def width_curve(entries: Sequence[Entry], chrf: Sequence[float | None]) -> dict[str, Any] | None:
    """What the widest group of done rows says; `chrf` of each row. None for fewer than three widths."""
    done = [(entry, entry.outcome, each) for entry, each in zip(entries, chrf, strict=True) if entry.outcome]
    rows = [done[place] for place in widest([entry.settings for entry, _, _ in done])]
    if len(rows) < FEWEST:
        return None
    widths = [_width(entry.settings) for entry, _, _ in rows]
    outputs = [_best(outcome, each) for _, outcome, each in rows]
    panels = [Panel(say("score"), [each.score for each in outputs], digits=3)]
    if outputs[0].chrf is not None:
        falls = [False, *(step(*pair) is WidthStep.WORSE for pair in pairwise(outputs))]
        panels.append(Panel("chrF", [each.chrf for each in outputs], marked=falls, digits=1))
    panels.append(Panel(say(LENGTH), [len(each.tokens) for each in outputs], digits=0))
    title = say(HEADING)
    chart = Chart("widths", title, width_figure(widths, panels))
    return as_sent(Content([*map(tell, findings_of_one(widths, outputs))], [chart]), ())


def same_at_every_width(entries: Sequence[Entry]) -> tuple[str, list[DecodingOptions]] | None:
    """The first row that has a beam, and its search at every width; None if all of them are there."""
    widths = [width for width in WIDTHS if width <= MAX_BEAM_SIZE]
    for entry in sorted(entries, key=lambda entry: entry.settings.strategy == GREEDY):
        found = list(at_widths(entry.settings, widths).values())
        there = len(widest([*found, *(each.settings for each in entries)]))
        if len(found) >= FEWEST and len(widest([each.settings for each in entries])) < there:
            return entry.name, found
    return None


def _width(options: DecodingOptions) -> int:
    return 1 if options.strategy == GREEDY else options.beam_size


def _best(outcome: Outcome, chrf: float | None) -> Best:
    return Best(outcome.token_ids, outcome.score, chrf)

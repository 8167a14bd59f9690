"""Search for the same pattern of units in the checkpoint's examples, or in lines that the reader types."""

from __future__ import annotations

from dataclasses import dataclass

from demo.answers.content import Cell, Table
from demo.i18n import say
from demo.i18n.display import number_text
from demo.inspect.units.texts import SOURCE, UnitsView, UnitText

MAX_MATCHES = 12
THRESHOLD = 0.3


@dataclass(frozen=True)
class SearchResult:
    """The result of a search, for the view to show."""

    units: tuple[int, ...]  # the units of the pattern
    steps: tuple[int, int]  # its first and last step
    sentence: str
    table: Table


def search(view: UnitsView) -> SearchResult:
    """Ask for a range of steps and a threshold, and search for similar ranges."""
    from models.inspection.units.patterns import matching_ranges, pattern

    inspected, values = view.inspected, view.values(view.current_text, view.side)
    steps = len(values)
    current_step = 1 if view.side == SOURCE else min(inspected.step, steps - 1) + 1
    first = round(inspected.number("from", say("from step"), 1, steps, 1, current_step))
    last = max(first, round(inspected.number("to", say("to step"), 1, steps, 1, current_step)))
    threshold = inspected.number("above", say("counts as on above"), -1, 1, 0.05, THRESHOLD)
    texts = [view.current_text, *_texts(view)]
    searched = pattern(values, first - 1, last - 1, threshold)
    matches = matching_ranges(searched, [view.values(text, view.side) for text in texts])
    others = [match for match in matches if match.text or not first - 1 <= match.first <= last - 1]
    rows: list[list[Cell]] = [
        [
            _mark_range(view, texts[other.text], other.first, other.last),
            len(other.shared),
            other.other_units,
        ]
        for other in others[:MAX_MATCHES]
    ]
    sentence = _sentence(view, first, last, threshold, len(searched.units))
    if searched.units and others:
        sentence += " " + say(
            "The most similar place has {shared} of these units on: {place}.",
            shared=rows[0][1],
            place=rows[0][0],
        )
    head = [say("place"), say("units in common"), say("further units")]
    return SearchResult(searched.units, (first - 1, last - 1), sentence, Table(head, rows))


def _texts(view: UnitsView) -> list[UnitText]:
    if view.inspected.checkpoint.config.reads_pictures:
        return view.examples
    lines = view.inspected.text_field("lines", say("search these lines (empty: the examples)"))
    return view.texts(lines.splitlines()) if lines.strip() else view.examples


def _sentence(view: UnitsView, first: int, last: int, threshold: float, count: int) -> str:
    labels = view.inspected.source_labels if view.side == SOURCE else view.inspected.output_labels
    fields = {"first": labels[first - 1], "last": labels[last - 1], "level": number_text(threshold)}
    if not count:
        return say(
            "No unit is above {level} just from “{first}” to “{last}” and below it around them. Try "
            "another threshold or another range.",
            **fields,
        )
    return say(
        "{count} units are above {level} from “{first}” to “{last}”, and not just before or after.",
        count=count,
        **fields,
    )


def _mark_range(view: UnitsView, text: UnitText, first: int, last: int) -> str:
    """The tokens of a text, with brackets around the range."""
    ids = text.source if view.side == SOURCE else text.output
    labels = [view.inspected.label(token_id) for token_id in ids]
    labels[first] = f"[{labels[first]}"
    labels[last] = f"{labels[last]}]"
    return " ".join(labels)

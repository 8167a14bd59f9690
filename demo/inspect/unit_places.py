"""Where else the same units are on: in the checkpoint's examples, or in lines that the reader types."""

from __future__ import annotations

from dataclasses import dataclass

from demo.answers.content import Cell, Table
from demo.i18n import say
from demo.i18n.display import number_text
from demo.inspect.unit_texts import SOURCE, UnitsView, UnitText

MOST_PLACES = 12
THRESHOLD = 0.3


@dataclass(frozen=True)
class Found:
    """What the search has found, for the view to show."""

    units: tuple[int, ...]  # of the pattern
    chosen: tuple[int, int]  # its first and last step
    told: str
    table: Table


def search(looked: UnitsView) -> Found:
    """Ask for a range of steps and a threshold, and look for places alike."""
    from models.inspection.unit_patterns import pattern, places

    inspected, values = looked.inspected, looked.values(looked.own, looked.side)
    steps = len(values)
    here = 1 if looked.side == SOURCE else min(inspected.step, steps - 1) + 1
    first = round(inspected.number("from", say("from step"), 1, steps, 1, here))
    last = max(first, round(inspected.number("to", say("to step"), 1, steps, 1, here)))
    threshold = inspected.number("above", say("on, if above"), -1, 1, 0.05, THRESHOLD)
    texts = [looked.own, *_searched(looked)]
    sought = pattern(values, first - 1, last - 1, threshold)
    result = places(sought, [looked.values(text, looked.side) for text in texts])
    others = [item for item in result if item.text or not first - 1 <= item.first <= last - 1]
    rows: list[list[Cell]] = [
        [
            _marked(looked, texts[other.text], other.first, other.last),
            len(other.shared),
            other.others,
        ]
        for other in others[:MOST_PLACES]
    ]
    told = _told(looked, first, last, threshold, len(sought.units))
    if sought.units and others:
        told += " " + say(
            "The place most alike has {shared} of them on: {place}.", shared=rows[0][1], place=rows[0][0]
        )
    head = [say("place"), say("units in common"), say("further units")]
    return Found(sought.units, (first - 1, last - 1), told, Table(head, rows))


def _searched(looked: UnitsView) -> list[UnitText]:
    if looked.inspected.checkpoint.config.reads_pictures:
        return looked.examples
    lines = looked.inspected.typed("lines", say("search these lines (empty: the examples)"))
    return looked.texts(lines.splitlines()) if lines.strip() else looked.examples


def _told(looked: UnitsView, first: int, last: int, threshold: float, count: int) -> str:
    labels = looked.inspected.source_labels if looked.side == SOURCE else looked.inspected.output_labels
    fields = {"first": labels[first - 1], "last": labels[last - 1], "level": number_text(threshold)}
    if not count:
        return say(
            "No unit is above {level} just from “{first}” to “{last}” and below it around them. Try "
            "another threshold or another range.",
            **fields,
        )
    return say(
        "{count} units are above {level} from “{first}” to “{last}”, and not right before or behind.",
        count=count,
        **fields,
    )


def _marked(looked: UnitsView, text: UnitText, first: int, last: int) -> str:
    """The tokens of a text, those of the place between brackets."""
    ids = text.source if looked.side == SOURCE else text.output
    labels = [looked.inspected.label(token_id) for token_id in ids]
    labels[first] = f"[{labels[first]}"
    labels[last] = f"{labels[last]}]"
    return " ".join(labels)

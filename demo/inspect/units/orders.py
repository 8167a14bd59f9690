"""Sentences about units: about the first one in an order, and about one that keeps its value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from demo.i18n import later, quoted, say
from demo.i18n.display import number_text, percent_text
from demo.inspect.units.texts import SOURCE, UnitsView

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NUMBER, SPREAD, SHUT, OPEN = "number", "spread", "shut", "open"
MIN_STEPS = 3  # the fewest steps of a run that is reported
MIN_RETAINED = 0.5  # share of the value before that must be left
# Properties of tokens that a unit may correlate with, in words.
TOKEN_PROPERTIES: Mapping[str, str] = {
    "position": later("the position in the text"),
    "remaining": later("the number of tokens that are left"),
    "word": later("tokens that begin a word"),
    "punctuation": later("punctuation"),
    "vowel": later("vowels"),
    "end": later("the end token"),
}


def choose_order(view: UnitsView) -> str:
    """Ask the reader for the order of the units."""
    of_gates = [(SHUT, say("how often it is shut")), (OPEN, say("how often it is open"))]
    options = [
        *(of_gates if view.is_gate else []),
        (SPREAD, say("how much it changes")),
        *((name, say("varies with {what}", what=say(what))) for name, what in TOKEN_PROPERTIES.items()),
        (NUMBER, say("its number")),
    ]
    return view.inspected.choose("sort", say("sorted by"), options)


def in_order(view: UnitsView, order: str) -> tuple[list[int], str]:
    """All units in an order, and a sentence about the first."""
    if order in TOKEN_PROPERTIES:
        return _along(view, order)
    values = view.values(view.current_text)
    if order == NUMBER:
        count = say(
            "{units} units at {steps} steps. Click on one to see it alone.",
            units=values.shape[1],
            steps=len(values),
        )
        return list(range(values.shape[1])), count
    if order == SPREAD:
        return _spread(values)
    return _saturation_order(values, order)


def _spread(values: NDArray[np.float64]) -> tuple[list[int], str]:
    from models.inspection.units import spread

    order = _descending(spread(values))
    low, high = (number_text(float(end)) for end in (values[:, order[0]].min(), values[:, order[0]].max()))
    sentence = say("Unit {unit} changes most: from {low} to {high}.", unit=order[0] + 1, low=low, high=high)
    return order, sentence


def _saturation_order(values: NDArray[np.float64], order: str) -> tuple[list[int], str]:
    from models.inspection.units import saturation

    shut, opened = saturation(values)
    shares = shut if order == SHUT else opened
    ranked = _descending(shares)
    fields = {
        "unit": ranked[0] + 1,
        "share": percent_text(float(shares[ranked[0]])),
        "mean": percent_text(float(shares.mean())),
    }
    if order == SHUT:
        return ranked, say(
            "Unit {unit} has its gate shut (below 0.1) at {share} of the steps; the mean of all is {mean}.",
            **fields,
        )
    return ranked, say(
        "Unit {unit} has its gate open (above 0.9) at {share} of the steps; the mean of all is {mean}.",
        **fields,
    )


def _along(view: UnitsView, property_name: str) -> tuple[list[int], str]:
    """Units by correlation, over several texts, since one text cannot separate position and remainder."""
    import numpy as np

    from models.inspection.units import (
        TOKEN_CLASSES,
        chance_correlation,
        class_membership,
        correlation,
        positions,
        tokens_left,
    )

    texts = [view.current_text, *view.examples]
    by_text = [view.values(text) for text in texts]
    lengths = [len(values) for values in by_text]
    if property_name in TOKEN_CLASSES:
        goal = class_membership(
            [token for text in texts for token in view.tokens(text)], TOKEN_CLASSES[property_name]
        )
    else:
        goal = (positions if property_name == "position" else tokens_left)(lengths)
    values = np.concatenate(by_text)
    result = correlation(values, goal)
    order = _descending(np.abs(result))
    if goal.min() == goal.max():
        return order, say(
            "In these texts all steps are the same in this respect, so no unit can vary with it."
        )
    return order, say(
        "Unit {unit} varies most closely with {what}: correlation {value} over {steps} steps of {texts} "
        "texts. With the steps shuffled the best of all units still reaches {chance}.",
        unit=order[0] + 1,
        what=say(TOKEN_PROPERTIES[property_name]),
        value=number_text(float(result[order[0]])),
        steps=len(values),
        texts=len(texts),
        chance=number_text(chance_correlation(values, goal)),
    )


def _descending(scores: NDArray[np.float64]) -> list[int]:
    import numpy as np

    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    return order


def carrying(view: UnitsView, unit: int) -> tuple[str, dict[str, float | str]]:
    """A sentence and facts about the chosen unit's longest run, or the longest run of any unit.

    unit: from 0. Both results are empty without a run, and for a cell without a gate that keeps the state.
    """
    from models.inspection.units import OPEN as OPEN_GATE
    from models.inspection.units import value_runs
    from models.networks.cells import CELLS

    layer = view.steps(view.current_text)
    keeps = next(
        (cell.keeps for cell in CELLS.values() if cell.keeps and cell.keeps[0] in layer.values), None
    )
    if keeps is None:
        return "", {}
    gate, state = keeps
    backward = [layer.reads_backward(index) for index in range(layer.values[gate].shape[1])]
    runs = [
        run
        for run in value_runs(layer.values[gate], backward)
        if run.steps >= MIN_STEPS and run.retained >= MIN_RETAINED
    ]
    if not runs:
        return "", {}
    run_shown = next((run for run in runs if run.unit == unit), runs[0])
    inspected = view.inspected
    labels = inspected.source_labels if view.side == SOURCE else inspected.output_labels
    sentence = say(
        "The {gate} of unit {unit} stays above {open} for {count} steps, from {first} to {last}: {kept} "
        "of its {state} before them is still there.",
        gate=say(gate),
        unit=run_shown.unit + 1,
        open=number_text(OPEN_GATE, 1),
        count=run_shown.steps,
        first=quoted(labels[run_shown.first]),
        last=quoted(labels[run_shown.last]),
        state=state,
        kept=percent_text(run_shown.retained),
    )
    return sentence, {
        "carrying_unit": run_shown.unit + 1,
        "carrying_steps": run_shown.steps,
        "carrying_kept": run_shown.retained,
    }

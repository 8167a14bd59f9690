"""A sentence about a unit that keeps what it holds while its gate stays open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.i18n import quoted, say
from demo.i18n.display import number_text, percent_text
from demo.inspect.unit_texts import SOURCE, UnitsView

if TYPE_CHECKING:
    from models.inspection.unit_order import Carried

LEAST_STEPS = 3  # fewer are no stretch
LEAST_KEPT = 0.5  # of what was held before: a unit that keeps less does not carry it


def carrying(looked: UnitsView, unit: int) -> tuple[str, dict[str, float | str]]:
    """Of the chosen unit if it carries something, else of the one that does so longest, and facts about it.

    unit: from 0. Empty where no unit carries anything, and for a cell that has no gate for it.
    """
    from models.inspection.unit_order import OPEN, carried
    from models.networks.cells import CELLS

    layers = looked.units.source if looked.side == SOURCE else looked.units.output
    layer = layers[looked.layer]
    keeps = next(
        (cell.keeps for cell in CELLS.values() if cell.keeps and cell.keeps[0] in layer.values), None
    )
    if keeps is None:
        return "", {}
    gate, state = keeps
    backward = [layer.reads_backward(index) for index in range(layer.values[gate].shape[1])]
    result = [item for item in carried(layer.values[gate], backward) if _is_long(item)]
    if not result:
        return "", {}
    chosen = next((item for item in result if item.unit == unit), result[0])
    inspected = looked.inspected
    labels = inspected.source_labels if looked.side == SOURCE else inspected.output_labels
    told = say(
        "The {gate} of unit {unit} stays above {open} for {count} steps, from {first} to {last}: of the "
        "{state} that it held before, {kept} is still there.",
        gate=say(gate),
        unit=chosen.unit + 1,
        open=number_text(OPEN, 1),
        count=chosen.steps,
        first=quoted(labels[chosen.first]),
        last=quoted(labels[chosen.last]),
        state=state,
        kept=percent_text(chosen.retained),
    )
    return told, {
        "carrying_unit": chosen.unit + 1,
        "carrying_steps": chosen.steps,
        "carrying_kept": chosen.retained,
    }


def _is_long(each: Carried) -> bool:
    return each.steps >= LEAST_STEPS and each.retained >= LEAST_KEPT

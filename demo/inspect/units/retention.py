"""A sentence about a unit that keeps its value while its gate stays open."""

from __future__ import annotations

from demo.i18n import quoted, say
from demo.i18n.display import number_text, percent_text
from demo.inspect.units.texts import SOURCE, UnitsView

MIN_STEPS = 3  # the fewest steps of a run that is reported
MIN_RETAINED = 0.5  # share of the value before that must be left


def carrying(view: UnitsView, unit: int) -> tuple[str, dict[str, float | str]]:
    """A sentence and facts about the chosen unit's longest run, or the longest run of any unit.

    unit: from 0. Both results are empty without a run, and for a cell without a gate that keeps the state.
    """
    from models.inspection.units import OPEN, value_runs
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
        open=number_text(OPEN, 1),
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

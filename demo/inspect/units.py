"""What every unit of a recurrent network does over time, where else it does so, and what it is needed for."""

from __future__ import annotations

from demo.answers.content import Cell, Chart, Content, Table
from demo.i18n import in_page, later, say
from demo.inspect.elsewhere import is_recurrent
from demo.inspect.inspected import Inspected
from demo.inspect.over_time import StepAxis, unit_figure, units_figure
from demo.inspect.unit_carried import carrying
from demo.inspect.unit_held import held
from demo.inspect.unit_orders import choose_order, in_order
from demo.inspect.unit_places import search
from demo.inspect.unit_texts import OUTPUT, SOURCE, UnitsView
from demo.inspect.view import InspectView

LOOK, SEARCH, HOLD = "look", "search", "hold"
ROWS, MOST_ROWS = 24, 96  # units in the picture


def look(inspected: Inspected) -> Content:
    """All units as a picture, one as lines, and what the reader does with them."""
    tasks = [
        (LOOK, say("look at the units")),
        (SEARCH, say("find the same pattern elsewhere")),
        (HOLD, say("hold a unit and decode anew")),
    ]
    task = inspected.choose("do", say("task"), tasks)
    looked = _looked(inspected, task)
    order, finding = in_order(looked, choose_order(looked))
    table, chosen = None, None
    held_facts: dict[str, float | str] = {}
    if task == SEARCH:
        result = search(looked)
        order = [*result.units, *(unit for unit in order if unit not in set(result.units))]
        finding, table, chosen = result.told, result.table, result.chosen
    rows = round(
        inspected.number("rows", say("units in the picture"), 8, min(MOST_ROWS, len(order)), 8, ROWS)
    )
    unit = round(inspected.number("unit", say("unit"), 1, len(order), 1, order[0] + 1)) - 1
    if task == HOLD:
        finding, table = held(looked, unit)
        output = str(table.rows[-1][1])
        held_facts = {"held_output": output, "held_characters": len(output)}
    if chosen is not None and looked.side == OUTPUT:
        chosen = (chosen[0] + _read(looked), chosen[1] + _read(looked))
    carries, carry_facts = carrying(looked, unit)
    shown = order[:rows] if unit in order[:rows] else [unit, *order[: rows - 1]]
    return Content(
        [" ".join(filter(None, (finding, carries))), *_trust(looked)],
        _charts(looked, shown, unit, chosen),
        table or _numbers(looked, unit),
        facts=_facts(looked, order[0], unit) | held_facts | carry_facts,
    )


def _facts(looked: UnitsView, first: int, unit: int) -> dict[str, float | str]:
    """The unit that is sorted first, and the chosen one's quantity at each step: `read_3`, `written_1`."""
    layers = {"read": looked.units.source, "written": looked.units.output}
    result: dict[str, float | str] = {"first_unit": first + 1}
    for side, item in layers.items():
        if item:
            values = item[looked.layer].values[looked.quantity]
            result[f"{side}_mean"] = float(values.mean())
            result |= {f"{side}_{index}": value for index, value in enumerate(values[:, unit].tolist(), 1)}
    return result


def _looked(inspected: Inspected, task: str) -> UnitsView:
    """The units of the output on show, and which of their quantities the reader wants to see."""
    from models.inspection.units import units_over_time

    tokenizer, question = inspected.checkpoint.tokenizer, inspected.inquiry.question
    (units,) = units_over_time(
        inspected.checkpoint.model,
        [question.source],
        [inspected.output],
        bos_id=tokenizer.bos_id,
        pad_id=tokenizer.pad_id,
    )
    names = [(name, name if len(name) < 3 else say(name)) for name in units.output[0].values]
    quantity = inspected.choose("quantity", say("show"), names)
    layer = 0
    if len(units.output) > 1:
        layers = [(str(index + 1), str(index + 1)) for index in range(len(units.output))]
        layer = int(inspected.choose("layer", say("layer"), layers, layers[-1][0])) - 1
    side = OUTPUT
    if units.source and task != HOLD:
        sides = [(OUTPUT, say("the output")), (SOURCE, say("the source"))]
        side = inspected.choose("side", say("measured on"), sides)
    return UnitsView(inspected, units, quantity, layer, side)


def _read(looked: UnitsView) -> int:
    """Places of the picture that lie in the source."""
    return len(looked.own.source) if looked.units.source else 0


def _charts(looked: UnitsView, shown: list[int], unit: int, chosen: tuple[int, int] | None) -> list[Chart]:
    inspected = looked.inspected
    source = inspected.source_labels if looked.units.source else ()
    steps = StepAxis(source, inspected.output_labels, inspected.step, chosen)
    layers = [item[looked.layer] for item in (looked.units.source, looked.units.output) if item]
    rows = [
        (index + 1, [value for layer in layers for value in layer.values[looked.quantity][:, index].tolist()])
        for index in shown
    ]
    backward = [index + 1 for index in shown if looked.units.source and layers[0].reads_backward(index)]
    lines = [
        (
            name if len(name) < 3 else say(name),
            [value for layer in layers for value in layer.values[name][:, unit].tolist()],
        )
        for name in layers[-1].values
    ]
    quantity = looked.quantity if len(looked.quantity) < 3 else say(looked.quantity)
    return [
        Chart(
            "units",
            say("Units over time: {quantity}", quantity=quantity),
            units_figure(steps, rows, backward, unit + 1, gate=looked.is_gate),
        ),
        Chart("unit", say("Unit {number} alone", number=unit + 1), unit_figure(steps, lines)),
    ]


def _numbers(looked: UnitsView, unit: int) -> Table:
    """One unit step by step while the output is written."""
    layer = looked.units.output[looked.layer]
    names = list(layer.values)
    rows: list[list[Cell]] = [
        [label, *(round(float(layer.values[name][step, unit]), 6) for name in names)]
        for step, label in enumerate(looked.inspected.output_labels)
    ]
    head = [say("writes"), *(name if len(name) < 3 else say(name) for name in names)]
    return Table(head, rows)


def _trust(looked: UnitsView) -> list[str]:
    told = []
    if looked.units.source:
        told.append(
            say(
                "Left of the line the encoder's units, right of it the decoder's. They share a row because "
                "the decoder's unit begins with the last state of the encoder's."
            )
        )
    told.append(
        say(
            "What a unit goes along with need not be what it does: hold it, and see whether the output "
            "changes (Bau et al. 2019). Most of what a network knows lies in many units together."
        )
    )
    return told


VIEW = InspectView(
    "units",
    in_page("Units over time"),
    later("What does each unit of the network remember, and when do its gates open?"),
    position=50,
    look=look,
    fits=is_recurrent,
    paper="Strobelt et al. 2018",
)

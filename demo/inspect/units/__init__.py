"""The view of recurrent units over time, with clamping."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from demo.i18n import in_page, later, say
from demo.i18n.display import number_text
from demo.inspect.time.over_time import StepAxis, unit_figure, units_figure
from demo.inspect.units.orders import carrying, choose_order, in_order
from demo.inspect.units.texts import OUTPUT, SOURCE, UnitsView
from demo.inspect.view import Inspected, InspectView, is_recurrent
from demo.widgets.answers.content import Cell, Chart, Content, Table
from models.decoding.options import DecodingOptions
from models.decoding.strategies.greedy import Greedy

if TYPE_CHECKING:
    from models.networks.base import Seq2SeqModel

SHOW, HOLD = "look", "hold"
ROWS, MAX_ROWS = 24, 96  # units in the chart
MAX_EXTRA_TOKENS = 8  # additional tokens that the output of a clamped network may have


def compute(inspected: Inspected) -> Content:
    """A heatmap of all units, lines of one unit, and the result of the chosen task."""
    tasks = [(SHOW, say("look at the units")), (HOLD, say("clamp a unit and decode again"))]
    task = inspected.choose("do", say("task"), tasks)
    view = _units_view(inspected, task)
    order, finding = in_order(view, choose_order(view))
    table = None
    held_facts: dict[str, float | str] = {}
    count = round(
        inspected.number("rows", say("units in the picture"), 8, min(MAX_ROWS, len(order)), 8, ROWS)
    )
    unit = round(inspected.number("unit", say("unit"), 1, len(order), 1, order[0] + 1)) - 1
    if task == HOLD:
        finding, table = _clamp_and_decode(view, unit)
        output = str(table.rows[-1][1])
        held_facts = {"held_output": output, "held_characters": len(output)}
    carries, carry_facts = carrying(view, unit)
    rows_shown = order[:count] if unit in order[:count] else [unit, *order[: count - 1]]
    return Content(
        [" ".join(filter(None, (finding, carries))), *_trust(view)],
        _charts(view, rows_shown, unit),
        table or _numbers(view, unit),
        facts=_facts(view, order[0], unit) | held_facts | carry_facts,
    )


def _facts(view: UnitsView, first: int, unit: int) -> dict[str, float | str]:
    """The first unit, and the selected unit's quantity at each step: `read_3`, `written_1`."""
    layers = {"read": view.units.source, "written": view.units.output}
    result: dict[str, float | str] = {"first_unit": first + 1}
    for side, item in layers.items():
        if item:
            values = item[view.layer].values[view.quantity]
            result[f"{side}_mean"] = float(values.mean())
            result |= {f"{side}_{index}": value for index, value in enumerate(values[:, unit].tolist(), 1)}
    return result


def _units_view(inspected: Inspected, task: str) -> UnitsView:
    """The units on the current text, and the reader's selection of quantity, layer and side."""
    from models.inspection.units import units_over_time

    tokenizer, question = inspected.checkpoint.tokenizer, inspected.prediction.question
    special = {"bos_id": tokenizer.bos_id, "pad_id": tokenizer.pad_id}
    (units,) = units_over_time(inspected.checkpoint.model, [question.source], [inspected.output], **special)
    names = [(name, _title(name)) for name in units.output[0].values]
    quantity = inspected.choose("quantity", say("show"), names)
    layer = inspected.choose_layer(len(units.output))
    side = OUTPUT
    if units.source and task != HOLD:
        sides = [(OUTPUT, say("the output")), (SOURCE, say("the source"))]
        side = inspected.choose("side", say("measured on"), sides)
    return UnitsView(inspected, units, quantity, layer, side)


def _charts(view: UnitsView, units: list[int], unit: int) -> list[Chart]:
    inspected = view.inspected
    source = inspected.source_labels if view.units.source else ()
    steps = StepAxis(source, inspected.output_labels, inspected.step)
    layers = [item[view.layer] for item in (view.units.source, view.units.output) if item]
    rows = [
        (index + 1, [value for layer in layers for value in layer.values[view.quantity][:, index].tolist()])
        for index in units
    ]
    backward = [index + 1 for index in units if view.units.source and layers[0].reads_backward(index)]
    lines = [
        (_title(name), [value for layer in layers for value in layer.values[name][:, unit].tolist()])
        for name in layers[-1].values
    ]
    title = say("Units over time: {quantity}", quantity=_title(view.quantity))
    return [
        Chart("units", title, units_figure(steps, rows, backward, unit + 1, gate=view.is_gate)),
        Chart("unit", say("Unit {number} alone", number=unit + 1), unit_figure(steps, lines)),
    ]


def _numbers(view: UnitsView, unit: int) -> Table:
    """A unit's states and gates at each step of the output."""
    layer = view.units.output[view.layer]
    names = list(layer.values)
    rows: list[list[Cell]] = [
        [label, *(round(float(layer.values[name][step, unit]), 6) for name in names)]
        for step, label in enumerate(view.inspected.output_labels)
    ]
    return Table([say("writes"), *map(_title, names)], rows)


def _clamp_and_decode(view: UnitsView, unit: int) -> tuple[str, Table]:
    """Ask for value and step, decode with the clamped unit, and compare; the first unit is 0."""
    from models.decoding.judge.rescore import rescore_ids
    from models.inspection.wrapper import Clamp, clamp_units

    inspected, checkpoint = view.inspected, view.inspected.checkpoint
    value = inspected.number("value", say("clamped at"), -1, 1, 0.05, 0)
    since = round(inspected.number("since", say("from step"), 1, len(inspected.output), 1, 1))
    clamped_model = clamp_units(checkpoint.model, [Clamp(view.layer, unit, value, since - 1)])
    models = (checkpoint.model, clamped_model)
    unclamped, clamped = (_greedy(view, model) for model in models)
    rows: list[list[Cell]] = [
        [say("the current output"), checkpoint.tokenizer.decode(inspected.output)],
        [say("greedy search"), unclamped],
        [say("greedy search, unit clamped"), clamped],
    ]
    source, tokenizer = inspected.prediction.question.source, checkpoint.tokenizer
    before, after = (
        math.fsum(token.log_prob for token in rescore_ids(model, source, inspected.output, tokenizer))
        for model in models
    )
    fields = {"unit": unit + 1, "value": number_text(value), "step": since}
    if unclamped == clamped:
        sentence = say(
            "Clamped at {value} from step {step} on, unit {unit} does not change the output.", **fields
        )
    else:
        sentence = say("Clamped at {value} from step {step} on, unit {unit} changes the output.", **fields)
    sentence += " " + say(
        "The log-probability of the current output is {after} nats with the clamped unit and {before} "
        "without.",
        before=number_text(before),
        after=number_text(after),
    )
    if "c" in view.units.output[view.layer].values:
        sentence += " " + say("Only its h is clamped; its c changes as usual.")
    return sentence, Table([say("decoded"), say("output")], rows)


def _greedy(view: UnitsView, model: Seq2SeqModel) -> str:
    from models.decoding.outputs import translate

    inspected = view.inspected
    longest = min(len(inspected.output) + MAX_EXTRA_TOKENS, inspected.checkpoint.config.max_length)
    options = DecodingOptions(strategy=Greedy.name, max_length=max(2, longest))
    (text,) = translate(model, inspected.checkpoint.tokenizer, [inspected.text], options)
    return text


def _title(name: str) -> str:
    """The title of a state or gate; letters such as h stand for themselves in every language."""
    return name if len(name) < 3 else say(name)


def _trust(view: UnitsView) -> Iterator[str]:
    if view.units.source:
        yield say(
            "Left of the line the encoder's units, right of it the decoder's. They share a row because "
            "the decoder's unit begins with the last state of the encoder's."
        )
    yield say(
        "A unit that varies with a property need not encode it: clamp the unit, and see whether the "
        "output changes (Bau et al. 2019). What a network knows may also be spread over many units."
    )


VIEW = InspectView(
    "units",
    in_page("Units over time"),
    later("What does each unit of the network remember, and when do its gates open?"),
    position=50,
    compute=compute,
    fits=is_recurrent,
    paper="Strobelt et al. 2018",
)

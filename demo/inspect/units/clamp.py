"""The output of the network while a unit of its decoder is clamped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from demo.i18n import say
from demo.i18n.display import number_text
from demo.inspect.units.texts import UnitsView
from demo.widgets.answers.content import Cell, Table
from models.decoding.options import DecodingOptions
from models.decoding.strategies.greedy import Greedy

if TYPE_CHECKING:
    from models.networks.base import Seq2SeqModel

MAX_EXTRA_TOKENS = 8  # additional tokens that a changed output may have


def clamp_and_decode(view: UnitsView, unit: int) -> tuple[str, Table]:
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

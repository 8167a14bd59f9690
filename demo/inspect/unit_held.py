"""What the network writes while one of its decoder's units is held at a value."""

from __future__ import annotations

import math

from demo.answers.content import Cell, Table
from demo.i18n import say
from demo.i18n.display import number_text
from demo.inspect.unit_texts import UnitsView
from models.decoding.options import DecodingOptions
from models.decoding.strategies.greedy import Greedy

ROOM = 8  # tokens that a changed output may have more than the one on show


def held(looked: UnitsView, unit: int) -> tuple[str, Table]:
    """Ask for value and step, decode anew, and say what has changed; unit: from 0."""
    from models.decoding.judge.rescore import rescore_ids
    from models.inspection.clamping import Clamp, clamped

    inspected, checkpoint = looked.inspected, looked.inspected.checkpoint
    value = inspected.number("value", say("held at"), -1, 1, 0.05, 0)
    since = round(inspected.number("since", say("from step"), 1, len(inspected.output), 1, 1))
    other = clamped(checkpoint.model, [Clamp(looked.layer, unit, value, since - 1)])
    rows: list[list[Cell]] = [[say("the output on show"), checkpoint.tokenizer.decode(inspected.output)]]
    for name, model in ((say("greedy search"), checkpoint.model), (say("greedy search, unit held"), other)):
        rows.append([name, _greedy(looked, model)])
    source, tokenizer = inspected.inquiry.question.source, checkpoint.tokenizer
    before, after = (
        math.fsum(token.log_prob for token in rescore_ids(model, source, inspected.output, tokenizer))
        for model in (checkpoint.model, other)
    )
    fields = {"unit": unit + 1, "value": number_text(value), "step": since}
    totals = {"before": number_text(before), "after": number_text(after)}
    if rows[1][1] == rows[2][1]:
        told = say("Held at {value} from step {step} on, unit {unit} changes nothing: same output.", **fields)
    else:
        told = say("Held at {value} from step {step} on, unit {unit} changes the output.", **fields)
    told += " " + say("The output on show has {after} nats then, and {before} without.", **totals)
    if "c" in looked.units.output[looked.layer].values:
        told += " " + say("Its h alone is held; its c goes on by itself.")
    return told, Table([say("decoded"), say("output")], rows)


def _greedy(looked: UnitsView, model: object) -> str:
    from models.decoding.outputs import translate
    from models.networks.base import Seq2SeqModel

    assert isinstance(model, Seq2SeqModel)
    inspected = looked.inspected
    longest = min(len(inspected.output) + ROOM, inspected.checkpoint.config.max_length)
    options = DecodingOptions(strategy=Greedy.name, max_length=max(2, longest))
    (text,) = translate(model, inspected.checkpoint.tokenizer, [inspected.text], options)
    return text

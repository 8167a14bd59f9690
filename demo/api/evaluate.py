"""Evaluation on a small test set: what the endpoint for programs takes, and what it answers."""

from __future__ import annotations

from demo.api.answers import Answer
from demo.api.arguments import CHECKPOINT, Argument, given_settings, translate_arguments
from demo.requests.checks import check_name
from demo.requests.evaluate import MAX_PAIRS, checked_pairs
from demo.requests.options import asked_options
from demo.service.context import AppContext
from demo.service.evaluation.request import AskedSystem, EvaluateRequest
from demo.service.evaluation.run import evaluated, spoken
from models.evaluation.segments import of_pairs

SOURCES = Argument("sources", list[str], f"The texts to translate, at most {MAX_PAIRS}.")
REFERENCES = Argument(
    "references", list[str], "A right translation of each; a source that is given again has several."
)
NOT_TAKEN = ("text", "trace")


def evaluate_arguments() -> tuple[Argument, ...]:
    """What evaluation takes: the settings of a decoding behind the pairs."""
    checkpoint, *others = (each for each in translate_arguments() if each.name not in NOT_TAKEN)
    assert checkpoint is CHECKPOINT
    return checkpoint, SOURCES, REFERENCES, *others


def on_evaluate(
    context: AppContext, checkpoint: object, sources: object, references: object, *settings: object
) -> Answer:
    """Figures with intervals, breakdowns, causes of bad outputs, and a row for each source."""
    check_name(checkpoint)
    pairs = checked_pairs(sources, references)
    values = given_settings(settings, context.config(str(checkpoint)))
    system = AskedSystem(str(checkpoint), str(checkpoint), asked_options(values))
    found: Answer = spoken(evaluated(context, EvaluateRequest((system,), of_pairs(pairs))))
    return found

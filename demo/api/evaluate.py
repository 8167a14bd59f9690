"""The endpoint for programs that evaluates a checkpoint on a small test set."""

from __future__ import annotations

from demo.api.answers import Answer
from demo.api.arguments import CHECKPOINT, POSITIONS, Argument, settings_by_name, translate_arguments
from demo.evaluate.work.request import (
    MAX_PAIRS,
    EvaluateRequest,
    RequestedSystem,
    allowed_widths,
    checked_pairs,
)
from demo.evaluate.work.run import evaluate, translate_messages
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError, check_name
from demo.work.requests.decode import decoding_options
from models.errors import not_a_switch
from models.evaluation.report.evaluation_report import as_json
from models.evaluation.segments import segments_of_pairs

SOURCES = Argument("sources", list[str], f"The texts to translate, at most {MAX_PAIRS}.")
REFERENCES = Argument(
    "references", list[str], "A right translation of each source. Repeat a source to give it several."
)
CURVES = Argument(
    "widths",
    bool,
    "Whether to run the same search at every allowed beam width, too; the answer then has `width_curves`.",
    False,
)
OMITTED = ("text", "trace")


def evaluate_arguments() -> tuple[Argument, ...]:
    """The arguments: pairs, then the settings of a decoding. Settings of later releases come last."""
    checkpoint, *others = (argument for argument in translate_arguments() if argument.name not in OMITTED)
    assert checkpoint is CHECKPOINT
    later = [other for other in others if other.name not in POSITIONS]
    return checkpoint, SOURCES, REFERENCES, *(other for other in others if other not in later), CURVES, *later


def on_evaluate(
    context: AppContext, checkpoint: object, sources: object, references: object, *others: object
) -> Answer:
    """Return figures with intervals, breakdowns, causes of bad outputs, and a row for each source."""
    check_name(checkpoint)
    pairs = checked_pairs(sources, references)
    index = evaluate_arguments().index(CURVES) - len((CHECKPOINT, SOURCES, REFERENCES))
    curves, settings = others[index], [*others[:index], *others[index + 1 :]]
    if not isinstance(curves, bool):
        raise RequestError(not_a_switch(CURVES.name, curves))
    values = settings_by_name(settings, context.config(str(checkpoint)))
    system = RequestedSystem(str(checkpoint), str(checkpoint), decoding_options(values))
    widths = allowed_widths() if curves else ()
    report = evaluate(context, EvaluateRequest((system,), segments_of_pairs(pairs), widths=widths))
    answer: Answer = as_json(translate_messages(report))
    return answer

"""The handlers of the form of the Evaluate tab."""

from __future__ import annotations

from dataclasses import replace

from demo.evaluate.form import TEST_SET_KINDS
from demo.evaluate.work.jobs import Evaluations
from demo.evaluate.work.request import MAX_CHANGED, EvaluateRequest, checked_segments, requested_systems
from demo.evaluate.work.test_sets import EXAMPLE, FILE, PASTE, example, table_of, training_pairs
from demo.widgets.columns.component import ColumnChoice, ShownColumns
from demo.work.context import AppContext
from demo.work.errors import failure_text
from demo.work.operator.caps import MAX_OUTPUT_TOKENS
from demo.work.requests.checks import RequestError, check_choice, check_name, whole
from models.corpus.files.columns import Hints
from models.evaluation.segments import segments_of_table


def on_evaluate(context: AppContext, jobs: Evaluations, *values: object) -> dict[str, str]:
    """Begin an evaluation and return its key. Raises RequestError, DataError, CheckpointError."""
    checkpoints, strategies, kind, file, text, columns, training, changes = values
    names = _names(checkpoints)
    configs = [context.config(name) for name in names]
    hints = _hints(context, names, kind)
    choice = ColumnChoice.parse(columns)
    check_choice("kind", kind, tuple(value for _, value in TEST_SET_KINDS))
    if kind == EXAMPLE and not names:
        raise RequestError(
            "example_without_checkpoint", "Choose a checkpoint first: the example depends on it."
        )
    segments = (
        example(context, names[0])
        if kind == EXAMPLE
        else segments_of_table(*choice.read(table_of(kind, file, text), hints))
    )
    longest = min([MAX_OUTPUT_TOKENS, *(config.max_length for config in configs)])
    options = strategies if isinstance(strategies, list) else []
    systems = requested_systems(names, options, longest, context.label)
    if not systems and not segments.outputs:
        raise RequestError(
            "nothing_to_evaluate", "Choose a checkpoint, or give a file with a column of outputs."
        )
    changed = whole("Sources to change", changes, 0, MAX_CHANGED)
    pairs = training_pairs(training, hints)
    request = EvaluateRequest(systems, checked_segments(segments), pairs, int(changed))
    return {"key": jobs.begin(request)}


def on_columns(
    context: AppContext, checkpoints: object, kind: object, file: object, text: object, columns: object
) -> ShownColumns | None:
    """Recognise the columns of a test set, or say what is wrong with it; None for an example."""
    if kind == EXAMPLE or (kind == FILE and not file) or (kind == PASTE and not text):
        return None
    try:
        hints = _hints(context, _names(checkpoints), kind)
        return ShownColumns.from_table(table_of(kind, file, text), ColumnChoice.parse(columns), hints)
    except Exception as error:  # if it were raised, the page would still show the columns of another file
        return ShownColumns.without_table(failure_text(error, "the columns of a test set"))


def _hints(context: AppContext, names: list[str], kind: object) -> Hints:
    """The first checkpoint's hints for the columns of a table; pasted lines begin with the source."""
    hints = context.config(names[0]).hints if names else Hints()
    return replace(hints, swap=False) if kind == PASTE else hints


def _names(checkpoints: object) -> list[str]:
    """The names of checkpoints. Raises RequestError for a value that is not a name."""
    names = list(checkpoints) if isinstance(checkpoints, list) else [checkpoints] if checkpoints else []
    for name in names:
        check_name(name)
    return list(map(str, names))

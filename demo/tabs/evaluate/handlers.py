"""What the Evaluate tab does when a reader asks for an evaluation."""

from __future__ import annotations

from demo.operator.caps import MAX_OUTPUT_TOKENS
from demo.requests.checks import RequestError, check_choice, check_name, whole
from demo.service.context import AppContext
from demo.service.evaluation.jobs import Evaluations
from demo.service.evaluation.request import EvaluateRequest, asked_systems, checked_segments
from demo.service.evaluation.test_sets import example, pasted, training_pairs, uploaded
from demo.tabs.evaluate.form import EXAMPLE, FILE, KINDS, MOST_CHANGED
from models.evaluation.segments import Segments


def on_evaluate(context: AppContext, jobs: Evaluations, *values: object) -> dict[str, str]:
    """Begin what `Form.asked` says; the answer names it. Raises RequestError, DataError, CheckpointError."""
    checkpoints, strategies, kind, file, text, swap, training, changes = values
    names = list(checkpoints) if isinstance(checkpoints, list) else [checkpoints] if checkpoints else []
    for name in names:
        check_name(name)
    configs = [context.config(str(name)) for name in names]
    swapped = swap is True
    segments = _test_set(context, names, (kind, file, text), swapped)
    longest = min([MAX_OUTPUT_TOKENS, *(config.max_length for config in configs)])
    chosen = strategies if isinstance(strategies, list) else []
    systems = asked_systems(names, chosen, longest, context.label)
    if not systems and not segments.outputs:
        raise RequestError(
            "nothing_to_evaluate", "Choose a checkpoint, or give a file with a column of outputs."
        )
    changed = whole("Sources to change", changes, 0, MOST_CHANGED)
    pairs = training_pairs(training, swap=swapped)
    request = EvaluateRequest(systems, checked_segments(segments), pairs, int(changed))
    return {"key": jobs.begin(request)}


def _test_set(
    context: AppContext, names: list[object], asked: tuple[object, object, object], swapped: bool
) -> Segments:
    kind, file, text = asked
    check_choice("kind", kind, tuple(value for _, value in KINDS))
    if kind == EXAMPLE:
        if not names:
            raise RequestError(
                "example_without_checkpoint", "Choose a checkpoint: the example is for what it reads."
            )
        return example(context, names[0])
    return uploaded(file, swap=swapped) if kind == FILE else pasted(text, swap=swapped)

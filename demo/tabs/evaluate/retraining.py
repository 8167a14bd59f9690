"""The training pairs behind a bad output, and experiments without them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from demo.controls.labs import SECONDS_LEFT
from demo.i18n import message_text, say
from demo.i18n.display import number_text
from demo.requests.checks import RequestError
from demo.service.context import AppContext
from demo.service.evaluation.jobs import Evaluations
from demo.service.evaluation.request import EvaluateRequest
from demo.service.evaluation.retraining import (
    MAX_TRAINING_PAIRS,
    NO_CHANGE,
    WrongText,
    experiment_status,
    propose,
    start,
)
from demo.service.evaluation.run import translate_messages
from demo.service.training.access import training_service
from demo.tabs.evaluate.answer import GONE, Answer, Handler
from models.corpus.generated.all_tasks import TASKS
from models.corpus.pairs import Pair

MAX_SHARED_WORDS = 4  # shared words shown for a pair


def can_retrain(context: AppContext, request: EvaluateRequest | None) -> bool:
    """Whether the training pairs of one of the systems are known, and the server trains."""
    if context.training is None or request is None:
        return False
    return any(_knows(context, request, system.checkpoint) for system in request.systems)


def on_behind(context: AppContext, jobs: Evaluations, data: object) -> Answer:
    """The training pairs that may have caused an output, the most likely first."""
    result = propose(context, _wrong(context, jobs, data))
    rows = [
        {name: row[name] for name in ("place", "source", "target")}
        | {"evidence": "; ".join(_evidence(part) for part in row["evidence"])}
        for row in result["rows"]
    ]
    return {"rows": rows, "note": message_text(result["note"]), "looked_at": result["looked_at"]}


def on_retrain(context: AppContext, jobs: Evaluations, data: object, visitor: object) -> dict[str, str]:
    """Begin an experiment without the pairs at the indices in `data`; return its run."""
    indices = data.get("dropped") if isinstance(data, Mapping) else None
    if not isinstance(indices, list) or not all(type(index) is int for index in indices):
        raise RequestError(NO_CHANGE)
    wrong = _wrong(context, jobs, data)
    assert isinstance(data, Mapping)
    run = start(context, str(visitor or ""), wrong, indices)
    return {"key": data["key"], "run": run}


def on_experiment(context: AppContext, _: Evaluations, data: object) -> Answer:
    """The progress of an experiment, and its result once it is over."""
    run = data.get("run") if isinstance(data, Mapping) else None
    status = experiment_status(context, run)
    message = message_text(status.message)
    if status.seconds_left is not None:
        message = say(SECONDS_LEFT, seconds=number_text(status.seconds_left, 0))
    return {
        "active": status.state.is_active,
        "share": status.share,
        "message": message,
        "sentences": translate_messages(status.sentences),
        "flipped": bool(status.result and status.result["flipped"]),
    }


def on_end(context: AppContext, jobs: Evaluations, data: object) -> Answer:
    """Stop an experiment."""
    training = training_service(context)
    training.launcher.stop(training.runs.find(data.get("run") if isinstance(data, Mapping) else None))
    return on_experiment(context, jobs, data)


RETRAINING_FUNCTIONS: dict[str, Handler] = {"behind": on_behind, "experiment": on_experiment, "end": on_end}


def _wrong(context: AppContext, jobs: Evaluations, data: object) -> WrongText:
    """The output that the reader has opened. Raises RequestError for one that the evaluation lacks."""
    request_data: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    key = request_data.get("key")
    request, report = jobs.request(str(key)), jobs.result(str(key))
    if request is None or report is None:
        raise RequestError(GONE)
    row = next((row for row in report.rows if row.line == request_data.get("line")), None)
    system = next((system for system in request.systems if system.name == request_data.get("system")), None)
    if row is None or system is None:
        raise RequestError("no_such_output", "There is no such output in this evaluation.")
    pairs = _pairs(context, request, system.checkpoint)
    output = row.systems[system.name].output
    return WrongText(system.checkpoint, pairs, row.source, output, row.references[0])


def _knows(context: AppContext, request: EvaluateRequest, checkpoint: str) -> bool:
    config = context.config(checkpoint)
    return not config.reads_pictures and (bool(request.training) or config.task in TASKS)


def _pairs(context: AppContext, request: EvaluateRequest, checkpoint: str) -> tuple[Pair, ...]:
    """The visitor's training pairs, else those of a generated task. Raises RequestError without any."""
    if request.training:
        return request.training
    if not _knows(context, request, checkpoint):
        raise RequestError("training_pairs_missing", "First give the training pairs, under “More” above.")
    from models.evaluation.fresh import TaskRecipe, task_recipe, training_pairs

    folder = context.registry.folder(checkpoint)
    pairs = training_pairs(context.config(checkpoint).task, task_recipe(folder) or TaskRecipe())
    return pairs[:MAX_TRAINING_PAIRS]


def _evidence(part: Mapping[str, Any]) -> str:
    from models.evaluation.retrain.propose import SOURCE_WORDS, STATES  # the module loads torch

    if part["kind"] == STATES:
        return say("decoder state {distance} away", distance=number_text(part["value"]))
    words = ", ".join(part["shared"][:MAX_SHARED_WORDS])
    if part["kind"] == SOURCE_WORDS:
        return say("shared with the source: {words}", words=words)
    return say("shared with the wrong words: {words}", words=words)

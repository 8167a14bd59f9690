"""Remove and retrain: the training pairs behind a wrong output, and an experiment without them.

`propose` searches the pairs. `start` begins an experiment, a run like any other: it belongs to the visitor,
the launcher stops and resumes it, and the Training tab shows it. `experiment_status` returns its progress.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from demo.i18n import later, say
from demo.operator.caps import MAX_CHARACTERS
from demo.requests.checks import RequestError, check_name, check_short_text, check_visitor
from demo.service.context import AppContext
from demo.service.decoding.watch import Watch
from demo.service.training.access import training_service
from models.corpus.pairs import Pair
from models.errors import Message
from models.registry.name import UnknownCheckpointError
from models.tokenization.plain_text import plain_text
from models.training.events import ExperimentStep, RunStarted
from models.training.runs.collection import UnknownRunError
from models.training.runs.status import RunState
from models.training.runs.work import Work

MAX_TRAINING_PAIRS = 20_000
HELD_OUT_PAIRS = 100
MAX_PROPOSED = 10  # proposed pairs
STOPPED = Message("pair_search_stopped", "The search for training pairs was stopped.")
OUT_OF_TIME = Message(
    "pair_search_out_of_time", "The search for training pairs took too long. Give fewer of them."
)
NO_CHANGE = Message("no_change_chosen", "Choose training pairs to leave out.")


@dataclass(frozen=True)
class WrongText:
    """A wrong output, and the training pairs of its checkpoint."""

    checkpoint: str  # wrote the output
    pairs: Sequence[Pair]
    source: str
    output: str
    wanted_output: str


@dataclass(frozen=True)
class ExperimentStatus:
    """The progress of an experiment."""

    state: RunState
    message: str  # a sentence: a Message
    share: float  # finished steps divided by all, 0 to 1
    seconds_left: float | None
    result: Mapping[str, Any] | None  # see `experiment.result_json`; None before the end
    sentences: Sequence[str]  # the result in words: Messages


def origin(context: AppContext, checkpoint: str) -> str:
    """The checkpoint from which this one was fine-tuned; this one if that does not exist any more.

    Both arms then learn the pairs of the fine-tuning anew, so leaving some out removes their effect.
    """
    name = check_name(checkpoint).base
    try:
        start = training_service(context).runs.request(training_service(context).runs.find(name)).start
        return start if start and context.registry.folder(start) else name
    except (UnknownRunError, UnknownCheckpointError):
        return name


def propose(
    context: AppContext, wrong: WrongText, most: int = MAX_PROPOSED, watch: Watch | None = None
) -> dict[str, Any]:
    """Propose pairs that may have caused the output, in a turn of the server; 3,000 pairs take some seconds.

    `rows` are those of `retrain.experiment.rows_of`, `looked_at` is a count, `note` a sentence
    or "". Raises RequestError, DataError, UnknownCheckpointError, CheckpointError.
    """
    from models.budget import letting_others_run
    from models.decoding.search.parallel import one_at_a_time
    from models.evaluation.retrain.experiment import rows_of
    from models.evaluation.retrain.propose import WrongOutput, propose

    _check(context, wrong)
    watch = watch or Watch()
    with watch.loading():
        checkpoint = context.checkpoint(wrong.checkpoint)
    with (
        context.turns.turn(watch),
        one_at_a_time(),
        letting_others_run(partial(watch.go_on, STOPPED, OUT_OF_TIME)),
    ):
        wrong_output = WrongOutput(wrong.source, wrong.output, wrong.wanted_output)
        result = propose(checkpoint, wrong.pairs, wrong_output, most)
    return {"rows": rows_of(result), "looked_at": result.num_searched, "note": result.note}


def start(
    context: AppContext, token: str, wrong: WrongText, dropped: Sequence[int], steps: int | None = None
) -> str:
    """Begin an experiment in the queue of trainings, within their limits, and return the id of its run.

    `token` identifies the visitor, as in the Training tab; `dropped` are indices of pairs; `steps` are those
    of each arm, by default as many as take two minutes on a CPU. Raises RequestError, RunError (one run each,
    queue full), DataError (no such pair, not to be trained), UnknownCheckpointError, CheckpointError.
    """
    from models.evaluation.retrain.arms import Changes
    from models.evaluation.retrain.experiment import Experiment
    from models.evaluation.retrain.fine_tuning import FineTuningSettings
    from models.evaluation.retrain.job import files_of, request_of
    from models.evaluation.retrain.propose import WrongOutput

    training = training_service(context)
    check_visitor(token)
    _check(context, wrong)
    if not dropped:
        raise RequestError(NO_CHANGE)
    begin = origin(context, wrong.checkpoint)
    wrong_output = WrongOutput(wrong.source, wrong.output, wrong.wanted_output)
    settings = FineTuningSettings() if steps is None else FineTuningSettings(steps=steps)
    changes = Changes(frozenset(dropped))
    experiment = Experiment.with_held_out(wrong.pairs, changes, wrong_output, HELD_OUT_PAIRS, settings)
    folder = context.registry.folder(begin)
    config = context.config(begin)
    device, label = context.device_name, context.label(begin)
    request = request_of(experiment, config, token, start=begin, folder=folder, device=device, label=label)
    description = say(
        "{dropped} of {count} pairs left out, {steps} steps with and without",
        dropped=f"{len(dropped):,}",
        count=f"{len(experiment.pairs):,}",
        steps=f"{settings.steps:,}",
    )
    return training.launcher.start(replace(request, data=description), files_of(experiment)).id


def experiment_status(context: AppContext, run_id: object) -> ExperimentStatus:
    """The progress of an experiment. Raises RequestError, and UnknownRunError for the id of no experiment."""
    from models.evaluation.retrain.job import result_of, sentences

    training = training_service(context)
    run = training.runs.find(run_id)
    request = training.runs.request(run)
    if request.work is not Work.RETRAINING:
        raise UnknownRunError("no_such_experiment", "This run is a training, not an experiment.")
    training.launcher.attend(run)
    state, events = run.state(), run.all_events()
    total = next((event.total_steps for event in reversed(events) if isinstance(event, RunStarted)), 0)
    steps = [event for event in events if isinstance(event, ExperimentStep)]
    result = result_of(run) if state is RunState.FINISHED else None
    return ExperimentStatus(
        state,
        run.sentence(),
        len(steps) / total if total else 0.0,
        steps[-1].seconds_left if steps and state.is_active else None,
        result,
        [] if result is None else sentences(result),
    )


def _check(context: AppContext, wrong: WrongText) -> None:
    """Raise RequestError for a text or a checkpoint that cannot be used."""
    check_name(wrong.checkpoint)
    for name, text in ((later("source"), wrong.source), (later("wanted text"), wrong.wanted_output)):
        check_short_text(name, text, MAX_CHARACTERS)
        if not plain_text(text):
            raise RequestError("side_empty", "The {name} is empty. Type it.", name=say(name))
    context.check_fits(wrong.checkpoint, wrong.source)
    if len(wrong.pairs) > MAX_TRAINING_PAIRS:
        raise RequestError(
            "too_many_training_pairs",
            "There are {count} training pairs, and at most {most} can be searched. Leave out those that "
            "are far from this output.",
            count=f"{len(wrong.pairs):,}",
            most=f"{MAX_TRAINING_PAIRS:,}",
        )

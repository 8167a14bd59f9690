"""An experiment as a run. It is requested like a training, and the same process runs it.

The run's folder holds the experiment from its beginning, and its result when it has finished. If it was
stopped or killed, it begins again: an experiment takes a minute or two.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from models.corpus.generated.all_tasks import TASKS
from models.errors import Message
from models.evaluation.retrain.arms import BOTH_ARMS, ExperimentProgress
from models.evaluation.retrain.experiment import Experiment, result_json
from models.evaluation.retrain.fine_tuning import check_own_network
from models.networks.architectures import network_config
from models.registry.checkpoint import Checkpoint, CheckpointConfig, load_checkpoint
from models.training.events import Emit, ExperimentStep, Notice, RunFinished, RunStarted, RunStopped
from models.training.launch.part import check_size
from models.training.recipe.config import FILES_TASK, DataConfig, OptimizerConfig, TrainingConfig
from models.training.runs.request import RunRequest
from models.training.runs.run_folder import Run
from models.training.runs.work import Work
from models.whole_file import write_whole

EXPERIMENT, RESULT = "experiment.json", "result.json"


def request_of(
    experiment: Experiment,
    config: CheckpointConfig,
    token: str,
    *,
    start: str,
    folder: Path,
    device: str,
    label: str = "",
) -> RunRequest:
    """The request of a run; a launcher takes it with `files_of`. Raises DataError like `check_own_network`.

    `start` names the checkpoint from which both arms start; `config` and `folder` belong to it. `label` is
    its name for people, if `start` is a secret.
    """
    check_own_network(start, config)
    network = network_config(config.network)
    max_tokens = getattr(network, "max_positions", DataConfig.max_pieces)
    data = DataConfig(
        task=config.task if config.task in TASKS else FILES_TASK,
        train=EXPERIMENT,
        valid=EXPERIMENT,
        source_language=config.source_language,
        target_language=config.target_language,
        max_pieces=min(DataConfig.max_pieces, max_tokens),
    )
    learning_rate = experiment.settings.learning_rate
    recipe = TrainingConfig(
        name="retraining",
        data=data,
        network=network,
        optimizer=OptimizerConfig(learning_rate=learning_rate, bf16=False),
        start=label or start,
        seed=experiment.settings.seed,
        max_length=config.max_length,
    )
    title = f"{label or start}: {experiment.test_set.wrong.source}"
    request = RunRequest.new(title, recipe, token, device=device, start=start, start_folder=folder)
    return replace(request, work=Work.RETRAINING)


def files_of(experiment: Experiment) -> dict[str, str]:
    """The texts of the run's further files, by name."""
    return {EXPERIMENT: experiment.to_json()}


def experiment_of(run: Run) -> Experiment:
    """The experiment of a run. Raises OSError, DataError."""
    return Experiment.from_json((run.data / EXPERIMENT).read_text(encoding="utf-8"))


def result_of(run: Run) -> dict[str, Any] | None:
    """The result of a run as `experiment.result_json` wrote it; None before the end."""
    try:
        result = json.loads((run.folder / RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) else None


def retrain_part(
    run: Run, emit: Emit, should_stop: Callable[[], bool], *, device: str, parameters: int = 0
) -> None:
    """Do the whole experiment. Raises DataError, CheckpointError, TooLargeError, OSError."""
    from models.device import resolve_device

    request, experiment = run.request, experiment_of(run)
    start = load_checkpoint(Path(request.start_folder), resolve_device(device))
    size = start.model.num_parameters()
    if parameters:
        check_size(size, parameters)
    started, tokens = time.monotonic(), 0
    total = BOTH_ARMS * experiment.settings.steps
    emit(_start_event(request, experiment, start, total))
    number = 0
    for progress in experiment.run(start):
        if should_stop():
            emit(RunStopped(number, Work.RETRAINING.stopped))
            return
        if progress.step is not None:
            number, tokens = number + 1, tokens + progress.step.tokens
            emit(_step_event(number, progress, started))
        elif progress.result is not None:
            result = result_json(experiment, progress.result)
            write_whole(run.folder / RESULT, json.dumps(result, ensure_ascii=False) + "\n")
            for sentence in sentences(result):
                emit(Notice(0, sentence))
    emit(RunFinished(total, time.monotonic() - started, tokens))


def sentences(result: dict[str, Any]) -> list[Message]:
    """The result of `experiment.result_json` in sentences: the outputs, and the changes on held-out pairs."""
    before, after, held_out_scores = result["before"]["output"], result["after"]["output"], result["others"]
    if before == after:
        messages = [
            Message("retrained_alike", "With and without the changes it writes “{before}”.", before=before)
        ]
    elif result["flipped"]:
        messages = [
            Message(
                "retrained_flipped",
                "With all pairs it writes “{before}”, with the changes “{after}”, as wanted.",
                before=before,
                after=after,
            )
        ]
    else:
        messages = [
            Message(
                "retrained_otherwise",
                "With all pairs it writes “{before}”, with the changes “{after}”; wanted was “{wanted}”.",
                before=before,
                after=after,
                wanted=result["wanted"],
            )
        ]
    if held_out_scores is not None:
        messages.append(_held_out_message(held_out_scores))
    return messages


def _held_out_message(held_out_scores: dict[str, Any]) -> Message:
    gained, low, high = (f"{value:+.1f}" for value in held_out_scores["gained"])
    return Message(
        "retrained_others",
        "{changed} of {count} held-out outputs changed; chrF went from {before} to {after}, "
        "{gained} ({low} to {high}).",
        count=held_out_scores["pairs"],
        changed=held_out_scores["changed"],
        before=f"{held_out_scores['before'][0]:.1f}",
        after=f"{held_out_scores['after'][0]:.1f}",
        gained=gained,
        low=low,
        high=high,
    )


def _start_event(request: RunRequest, experiment: Experiment, start: Checkpoint, total: int) -> RunStarted:
    from models.device import device_title

    return RunStarted(
        name=request.config.name,
        parameters=start.model.num_parameters(),
        trainable_parameters=start.model.num_parameters(),
        vocab_size=start.config.vocab_size,
        train_pairs=len(experiment.pairs),
        valid_pairs=len(experiment.test_set.held_out),
        total_steps=total,
        device=device_title(next(start.model.parameters()).device),
        processes=1,
        resumed_at=0,
    )


def _step_event(number: int, progress: ExperimentProgress, started: float) -> ExperimentStep:
    assert progress.step is not None
    seconds = time.monotonic() - started
    seconds_left = seconds * (1 - progress.share) / progress.share
    return ExperimentStep(number, progress.arm, progress.step.loss, seconds_left)

"""Captured steps learn what ordinary ones learn; a run that cannot be captured trains and reports it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from models.batch import Batch
from models.errors import Message
from models.networks.config import NetworkConfig
from models.networks.transformer.model import TransformerModel
from models.training.events import EvaluationCompleted, Notice, RunStarted, StepCompleted, TrainingEvent
from models.training.loop import captured_step, update
from models.training.loop.objective import Objective
from models.training.loop.update import TrainingError
from models.training.process_group import Group
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import TeacherForcingConfig
from tests.fakes.tiny_networks import tiny_model
from tests.fakes.training.recorded_capture import RecordedCapture
from tests.fakes.training.small_run import (
    CONFIG,
    GRU,
    TRANSFORMER,
    WITHOUT_DROPOUT,
    after,
    losses,
    of_each_network,
    run,
)
from tests.refusals import refused

RECIPE = replace(
    CONFIG,
    data=replace(CONFIG.data, casual_sources=0.0),
    optimizer=replace(CONFIG.optimizer, label_smoothing=0.1, clip_norm=0.5),
    epochs=2,
    evaluate_every=10,
)
STILL = replace(RECIPE, network=WITHOUT_DROPOUT["gru"])
RECIPES = {
    **of_each_network(RECIPE),
    "casual": replace(STILL, data=replace(RECIPE.data, casual_sources=0.4)),
    "adam-linear": replace(STILL, optimizer=replace(RECIPE.optimizer, kind="adam", schedule="linear")),
    "sgd": replace(
        STILL, optimizer=replace(RECIPE.optimizer, kind="sgd", schedule="inverse_sqrt", average_decay=0.0)
    ),
    "unclipped": replace(STILL, optimizer=replace(RECIPE.optimizer, clip_norm=0.0, schedule="constant")),
}


@pytest.fixture
def captures(monkeypatch: pytest.MonkeyPatch) -> list[RecordedCapture]:
    """The captures of each run from now on, since the CPU counts as a device that captures.

    There are so few sizes that most batches have to be filled up.
    """
    recorded: list[RecordedCapture] = []

    def capture(device: torch.device, shapes_repeat: bool) -> RecordedCapture:
        recorded.append(RecordedCapture(device, shapes_repeat))
        return recorded[-1]

    monkeypatch.setattr(update, "gains_from_capture", lambda device: True)
    monkeypatch.setattr(update, "Capture", capture)
    monkeypatch.setattr(captured_step, "MAX_SIZES", 3)
    return recorded


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> PlainRun:
    return PlainRun(monkeypatch, tmp_path)


class PlainRun:
    """The events of runs whose steps are not captured."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._monkeypatch, self._folder = monkeypatch, folder

    def __call__(self, config: TrainingConfig, name: str = "plain", **options: object) -> list[TrainingEvent]:
        with self._monkeypatch.context() as patch:
            patch.setattr(update, "gains_from_capture", lambda device: False)
            return run(config, self._folder / name, **options)


def norms(events: list[TrainingEvent]) -> list[float]:
    return [event.gradient_norm for event in events if isinstance(event, StepCompleted)]


def validation_losses(events: list[TrainingEvent]) -> list[float]:
    return [event.loss for event in events if isinstance(event, EvaluationCompleted)]


def notices(events: list[TrainingEvent]) -> list[Message]:
    messages = [event.text for event in events if isinstance(event, Notice)]
    assert all(isinstance(message, Message) for message in messages)
    return messages


def codes(events: list[TrainingEvent]) -> list[str]:
    return [message.code for message in notices(events)]


@pytest.mark.slow
@pytest.mark.parametrize("config", RECIPES.values(), ids=RECIPES)
def test_the_losses_are_those_of_ordinary_steps(
    config: TrainingConfig, plain: PlainRun, captures: list[RecordedCapture], tmp_path: Path
) -> None:
    expected, result = plain(config), run(config, tmp_path / "captured")
    assert losses(result) == pytest.approx(losses(expected), rel=1e-6)
    assert norms(result) == pytest.approx(norms(expected), rel=1e-5)
    # The average is evaluated, where there is one.
    assert validation_losses(result) == pytest.approx(validation_losses(expected), rel=1e-6)
    assert not notices(result)
    steps, (capture,) = len(losses(result)), captures
    assert 0 < capture.captures <= capture.warm_ups
    assert capture.replays > steps / 3
    assert capture.warm_ups + capture.replays == steps or config.data.casual_sources


@pytest.mark.slow
@pytest.mark.parametrize("network", [GRU, TRANSFORMER], ids=["gru", "transformer"])
def test_a_resumed_run_equals_the_uninterrupted_one(
    network: NetworkConfig, captures: list[RecordedCapture], tmp_path: Path
) -> None:
    """Dropout does not matter: a capture uses up none of its random draws."""
    config = replace(RECIPE, network=network)
    whole = losses(run(config, tmp_path / "whole"))
    first_part = run(config, tmp_path / "parts", should_stop=after(len(whole) // 2))
    second_part = run(config, tmp_path / "parts", resume=True)
    assert isinstance(second_part[0], RunStarted)
    assert second_part[0].resumed_at == len(whole) // 2
    assert losses(first_part) + losses(second_part) == pytest.approx(whole, rel=1e-6)
    assert all(capture.replays for capture in captures)


@pytest.mark.slow
def test_a_run_started_without_captures_can_resume_with_captures(
    plain: PlainRun, captures: list[RecordedCapture], tmp_path: Path
) -> None:
    whole = losses(plain(STILL, "whole"))
    first_part = plain(STILL, "parts", should_stop=after(5))
    second_part = run(STILL, tmp_path / "parts", resume=True)
    assert losses(first_part) + losses(second_part) == pytest.approx(whole, rel=1e-6)
    assert captures[-1].replays


@pytest.mark.slow
def test_fine_tuning_with_frozen_parts_learns_the_same(
    plain: PlainRun, captures: list[RecordedCapture], tmp_path: Path
) -> None:
    plain(STILL, "base")
    tuning = replace(STILL, start="base", freeze=("embeddings", "encoder"), seed=1)
    start = tmp_path / "base" / "best"
    expected = losses(plain(tuning, start=start))
    assert losses(run(tuning, tmp_path / "captured", start=start)) == pytest.approx(expected, rel=1e-6)
    assert captures[-1].replays


@pytest.mark.slow
def test_a_run_short_of_memory_drops_captures_and_then_splits_batches(
    plain: PlainRun, captures: list[RecordedCapture], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, whole = losses(plain(STILL)), Objective.forward

    def forward(objective: Objective, batch: Batch) -> Tensor:
        if batch.tgt_in.numel() > 60:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB")
        return whole(objective, batch)

    monkeypatch.setattr(Objective, "forward", forward)
    events = run(STILL, tmp_path / "tight")
    assert losses(events) == pytest.approx(expected, rel=1e-5)
    first, *others = codes(events)
    assert first == "capture_does_not_work"
    assert notices(events)[0].fields["reason"] == "CUDA out of memory. Tried to allocate 20.00 MiB"
    assert set(others) == {"batches_in_pieces"}
    assert not captures[-1].replays


@pytest.mark.slow
def test_a_step_that_synchronises_is_not_captured(
    plain: PlainRun, captures: list[RecordedCapture], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, whole = replace(RECIPE, network=WITHOUT_DROPOUT["transformer"]), TransformerModel.features

    def features(model: TransformerModel, batch: Batch) -> Tensor:
        assert batch.src.max().item() > 0
        return whole(model, batch)

    monkeypatch.setattr(TransformerModel, "features", features)
    expected, events = losses(plain(config)), run(config, tmp_path / "captured")
    assert losses(events) == pytest.approx(expected, rel=1e-6)
    (notice,) = notices(events)
    assert notice.code == "capture_does_not_work"
    assert "stream is capturing" in str(notice.fields["reason"])
    assert captures[-1].captures == 1
    assert not captures[-1].replays


@pytest.mark.slow
@pytest.mark.parametrize("works", [True, False], ids=["works", "fails"])
def test_a_long_run_is_captured_again_with_compiled_layers(
    works: bool,
    plain: PlainRun,
    captures: list[RecordedCapture],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = replace(RECIPE, network=WITHOUT_DROPOUT["transformer"])
    expected = losses(plain(config))

    def compile_(function: Callable[..., object], **_: object) -> Callable[..., object]:
        def broken(*arguments: object) -> object:
            raise RuntimeError("no kernel for this shape")

        return function if works else broken

    monkeypatch.setattr(update, "gains_from_compile", lambda device: True)
    monkeypatch.setattr(update, "COMPILES_FROM", 1e-9)
    monkeypatch.setattr(torch, "compile", compile_)
    events = run(config, tmp_path / "captured")
    assert losses(events) == pytest.approx(expected, rel=1e-6)
    assert codes(events) == ["layers_compiled", *([] if works else ["compile_does_not_work"])]
    assert [capture.shapes_repeat for capture in captures] == [False, True, *([] if works else [False])]
    assert captures[-1].replays


@pytest.mark.slow
def test_a_loss_that_is_no_number_is_reported(captures: list[RecordedCapture], tmp_path: Path) -> None:
    config = replace(STILL, optimizer=replace(STILL.optimizer, learning_rate=1.0, clip_norm=0.0, kind="sgd"))
    whole = Objective.forward

    def forward(objective: Objective, batch: Batch) -> Tensor:
        return whole(objective, batch) * (math.nan if captures[-1].captures else 1.0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Objective, "forward", forward)
        with refused(TrainingError, "loss_no_number"):
            run(config, tmp_path)
    assert captures[-1].replays == 1


@pytest.mark.slow
def test_steps_with_scheduled_sampling_are_not_captured(
    plain: PlainRun, captures: list[RecordedCapture], tmp_path: Path
) -> None:
    forcing = TeacherForcingConfig(schedule="linear", start=1.0, end=0.5)
    config = replace(STILL, teacher_forcing=forcing)
    expected, events = losses(plain(config)), run(config, tmp_path / "captured")
    assert losses(events) == pytest.approx(expected, rel=1e-6)
    assert codes(events) == ["own_tokens_not_captured"]
    assert captures[-1].warm_ups == 1  # the first step, whose ratio is 1


@pytest.mark.slow
def test_a_network_without_a_declaration_is_not_captured(
    captures: list[RecordedCapture], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TransformerModel, "capturable", False)
    events = run(replace(RECIPE, network=TRANSFORMER), tmp_path)
    assert codes(events) == ["network_not_captured"]
    assert not captures[-1].warm_ups


def test_runs_of_several_processes_are_not_captured() -> None:
    message = update.capture_obstacle(STILL, tiny_model(STILL.network), Group(0, 2))
    assert message is not None
    assert message.code == "processes_not_captured"


ODD = {
    "one pair": [("ab", "ba")],
    "of one length": [(f"a{x}c", f"c{x}a") for x in "abcdefghijklmnop"],
    "one of 100 tokens": [("ab" * 49, "a"), *((f"a{x}", f"{x}a") for x in "abcdefghijklmnop")],
}


@pytest.mark.slow
@pytest.mark.parametrize("pairs", ODD.values(), ids=ODD)
def test_odd_corpora_are_captured_with_the_same_losses(
    pairs: list[tuple[str, str]], plain: PlainRun, captures: list[RecordedCapture], tmp_path: Path
) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
    files = replace(STILL.data, task="translation", train=str(file), valid=str(file), max_pieces=100)
    config = replace(STILL, data=files, batch_tokens=30, epochs=2, evaluate_every=1000)
    expected = losses(plain(config))
    assert losses(run(config, tmp_path / "captured")) == pytest.approx(expected, rel=1e-6)
    assert captures[-1].replays

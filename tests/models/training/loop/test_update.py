"""One step of training: pieces, memory that runs out, frozen weights, other optimizers."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from models.batch import Batch
from models.registry.registry import Registry
from models.training.events import Notice, RunStarted, StepCompleted, TrainingEvent
from models.training.loop import update
from models.training.loop.objective import Objective
from models.training.loop.update import TrainingError
from models.training.recipe.sections import TeacherForcingConfig
from tests.fakes.training.small_run import CONFIG, CPU, GRU, TRANSFORMER, after, losses, run
from tests.refusals import refused

pytestmark = pytest.mark.slow

STILL = replace(CONFIG, network=replace(GRU, dropout=0.0), epochs=1)


class SmallDevice:
    """Runs out of memory, as a GPU does, on batches of more padded target tokens than `room`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
        self.sizes: list[int] = []
        whole = Objective.forward

        def forward(objective: Objective, batch: Batch) -> Tensor:
            if batch.tgt_in.numel() > room:
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB")
            self.sizes.append(batch.tgt_in.numel())
            return whole(objective, batch)

        monkeypatch.setattr(Objective, "forward", forward)


def test_when_memory_runs_out_smaller_pieces_give_the_same_losses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = losses(run(STILL, tmp_path / "roomy"))
    device = SmallDevice(monkeypatch, room=60)
    events = run(STILL, tmp_path / "tight")
    assert losses(events) == pytest.approx(expected, rel=1e-5)
    assert max(device.sizes) <= 60
    notices = [event for event in events if isinstance(event, Notice)]
    assert [text.split(" pieces")[0][-1] for text in (event.text for event in notices)][-1] in "48"
    assert all("Memory ran out: batches are now computed in" in event.text for event in notices)


def test_a_resumed_run_remembers_its_smaller_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SmallDevice(monkeypatch, room=60)
    run(STILL, tmp_path, should_stop=after(2))
    resumed = run(STILL, tmp_path, resume=True)
    assert not [event for event in resumed if isinstance(event, Notice)]


@pytest.mark.full
def test_a_run_without_memory_for_a_single_pair_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SmallDevice(monkeypatch, room=1)
    with refused(TrainingError, "pair_too_large_for_memory", 1):
        run(STILL, tmp_path)


def test_another_error_is_not_treated_as_full_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forward(objective: Objective, batch: Batch) -> Tensor:
        raise RuntimeError("mismatch")

    monkeypatch.setattr(Objective, "forward", forward)
    with pytest.raises(RuntimeError, match="mismatch"):
        run(STILL, tmp_path)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of modules that reach a compiler, which leaves them unchanged; the device gains from it."""
    kinds: list[str] = []
    monkeypatch.setattr(update, "gains_from_compile", lambda device: True)
    monkeypatch.setattr(nn.Module, "compile", lambda layer, **_: kinds.append(type(layer).__name__))
    return kinds


PARTS = [
    *["EncoderLayer"] * TRANSFORMER.num_layers,
    *["DecoderLayer"] * TRANSFORMER.num_decoder_layers,
    "CrossEntropy",
]


def test_a_run_of_seconds_is_not_compiled(compiled: list[str], tmp_path: Path) -> None:
    events = run(replace(CONFIG, network=TRANSFORMER, epochs=1), tmp_path)
    assert not compiled
    assert not [event for event in events if isinstance(event, Notice)]


def test_a_long_run_is_compiled_once_its_pace_is_known(
    compiled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update, "COMPILES_FROM", 1e-9)
    config = replace(CONFIG, network=TRANSFORMER, epochs=1)
    events = run(config, tmp_path / "long")
    assert compiled == PARTS
    (notice,) = (event for event in events if isinstance(event, Notice))
    assert notice.step == 2 * config.report_every  # the first steps say nothing of the pace
    assert notice.text.code == "layers_compiled"
    run(replace(config, optimizer=replace(config.optimizer, compile=False)), tmp_path / "unwanted")
    run(replace(config, network=GRU), tmp_path / "not-to-be-compiled")
    assert compiled == PARTS


@pytest.mark.full
def test_compiled_layers_learn_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(CONFIG, network=replace(TRANSFORMER, dropout=0.0), epochs=1)
    expected = losses(run(config, tmp_path / "plain"))
    monkeypatch.setattr(update, "gains_from_compile", lambda device: True)
    monkeypatch.setattr(update, "COMPILES_FROM", 1e-9)
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="aot_eager"))
    torch._dynamo.utils.counters.clear()
    events = run(config, tmp_path / "compiled")
    assert losses(events) == pytest.approx(expected, rel=1e-5)
    assert [event.text.code for event in events if isinstance(event, Notice)] == ["layers_compiled"]
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"]


def test_a_run_continues_without_a_failing_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(CONFIG, network=replace(TRANSFORMER, dropout=0.0), epochs=1)
    expected = losses(run(config, tmp_path / "plain"))

    def compile_(function: Any, **_: Any) -> Any:
        def broken(*arguments: Any) -> Tensor:
            raise RuntimeError("no C++ compiler\nmore about it")

        return broken

    monkeypatch.setattr(update, "gains_from_compile", lambda device: True)
    monkeypatch.setattr(update, "COMPILES_FROM", 1e-9)
    monkeypatch.setattr(torch, "compile", compile_)
    events = run(config, tmp_path / "compiled")
    assert losses(events) == pytest.approx(expected, rel=1e-6)
    texts = [event.text for event in events if isinstance(event, Notice)]
    assert [text.code for text in texts] == ["layers_compiled", "compile_does_not_work"]
    assert "(no C++ compiler)" in texts[1]


def weights(folder: Path) -> dict[str, Tensor]:
    return Registry(folder).load("last", CPU).model.state_dict()


@pytest.mark.parametrize("network", [GRU, TRANSFORMER], ids=["gru", "transformer"])
@pytest.mark.parametrize("part", ["embeddings", "encoder"])
def test_frozen_parts_keep_their_weights(network: Any, part: str, tmp_path: Path) -> None:
    optimizer = replace(CONFIG.optimizer, average_decay=0.0)
    config = replace(CONFIG, network=network, optimizer=optimizer)
    run(config, tmp_path / "start", should_stop=after(1))
    start = tmp_path / "start" / "last"
    tuned = replace(config, start="mine", freeze=(part,), epochs=1)
    events = run(tuned, tmp_path / "tuned", start=start)
    before, now = Registry(start.parent).load("last", CPU).model.state_dict(), weights(tmp_path / "tuned")
    changed = {name for name in now if not torch.equal(before[name], now[name])}
    frozen = {
        name for name in now if ("embedding" in name if part == "embeddings" else name[:7] == "encoder")
    }
    assert frozen
    assert changed
    assert not changed & frozen
    started = events[0]
    assert isinstance(started, RunStarted)
    assert 0 < started.trainable_parameters < started.parameters


def steps_of(events: list[TrainingEvent]) -> list[StepCompleted]:
    return [event for event in events if isinstance(event, StepCompleted)]


@pytest.mark.parametrize("kind", ["adamw", "adam", "sgd"])
def test_every_optimizer_lowers_the_loss(kind: str, tmp_path: Path) -> None:
    rate = 0.5 if kind == "sgd" else 0.01
    optimizer = replace(STILL.optimizer, kind=kind, learning_rate=rate, average_decay=0.0, weight_decay=0.0)
    config = replace(STILL, optimizer=optimizer, epochs=12, evaluate_every=1000)
    step_losses = losses(run(config, tmp_path))
    assert sum(step_losses[-3:]) < 0.9 * sum(step_losses[:3])


def test_norms_are_reported_before_and_after_clipping(tmp_path: Path) -> None:
    clipped = replace(STILL, optimizer=replace(STILL.optimizer, clip_norm=0.05))
    free = replace(STILL, optimizer=replace(STILL.optimizer, clip_norm=0.0))
    for event in steps_of(run(clipped, tmp_path / "clipped")):
        assert event.clipped_norm == pytest.approx(min(0.05, event.gradient_norm))
    steps = steps_of(run(free, tmp_path / "free"))
    assert all(event.clipped_norm == event.gradient_norm for event in steps)
    assert steps[0].gradient_norm > 0.05


def test_scheduled_sampling_is_reported_repeatable_and_not_teacher_forcing(tmp_path: Path) -> None:
    forcing = TeacherForcingConfig(schedule="linear", start=1.0, end=0.0)
    config = replace(STILL, teacher_forcing=forcing, epochs=2)
    events = run(config, tmp_path / "whole")
    ratios = [event.teacher_forcing for event in steps_of(events)]
    assert ratios[0] == 1.0
    assert ratios[-1] == 0.0
    parts = run(config, tmp_path / "parts", should_stop=after(7))
    parts += run(config, tmp_path / "parts", resume=True)
    assert losses(parts) == losses(events)
    plain = losses(run(replace(STILL, epochs=2), tmp_path / "plain"))
    assert plain[0] == losses(events)[0]
    assert plain[-1] != losses(events)[-1]


def test_the_seconds_left_end_at_zero(tmp_path: Path) -> None:
    seconds = [event.seconds_left for event in steps_of(run(STILL, tmp_path))]
    assert all(value is not None and math.isfinite(value) and value >= 0 for value in seconds)
    assert seconds[-1] == 0

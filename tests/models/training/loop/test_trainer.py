"""Training the reversal task in process: what is learnt, reported and saved."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from models.networks.base import Seq2SeqModel
from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.registry.registry import Registry
from models.training.events import (
    CheckpointSaved,
    EvaluationCompleted,
    ProbeDecoded,
    RunFinished,
    RunStarted,
    SampleDecoded,
    StepCompleted,
    TrainingEvent,
)
from models.training.loop.objective import Objective
from models.training.loop.optimizer import learning_rate
from models.training.loop.resume_state import RunProgress
from models.training.loop.setup import RunFolders
from models.training.loop.trainer import train
from models.training.loop.update import TrainingError
from models.training.loop.validation import Meter, Validator
from models.training.process_group import Group
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import DataConfig
from tests.fakes.training.small_run import CONFIG, CPU, GRU, TRANSFORMER, after, losses, run
from tests.refusals import refused

pytestmark = pytest.mark.slow

EVERYDAY = {StepCompleted, EvaluationCompleted, SampleDecoded, ProbeDecoded, CheckpointSaved}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[TrainingEvent]]:
    """An uninterrupted run, which the tests only read."""
    folder = tmp_path_factory.mktemp("finished")
    return folder, run(replace(CONFIG, decode_valid=5), folder)


def test_the_loss_falls(tmp_path: Path) -> None:
    data = DataConfig(train_size=20, valid_size=2)
    network = RecurrentConfig(d_embed=16, d_model=64, attention="none")
    config = replace(CONFIG, data=data, network=network, epochs=80, evaluate_every=1000)
    result = losses(run(config, tmp_path))
    assert result[0] == pytest.approx(math.log(30), rel=0.2)  # 26 letters and four special tokens
    assert result[-1] < 0.5


def test_events_come_in_order(finished: tuple[Path, list[TrainingEvent]]) -> None:
    events = finished[1]
    first, *between, last = events
    assert isinstance(first, RunStarted)
    assert isinstance(last, RunFinished)
    assert {type(e) for e in between} == EVERYDAY
    steps = [event.step for event in between if isinstance(event, StepCompleted)]
    assert steps == list(range(1, first.total_steps + 1))
    assert last.step == first.total_steps
    every = [event.step for event in between]  # type: ignore[union-attr]
    assert every == sorted(every)


def test_the_reported_number_of_validation_pairs_counts_the_measured_ones(tmp_path: Path) -> None:
    short = [f"{a}{b}\t{b}{a}\n" for a in "abcde" for b in "fghijklm"]
    long = ["abcabcabc\tcbacbacba\n"] * 10
    (tmp_path / "train.tsv").write_text("".join(short))
    (tmp_path / "valid.tsv").write_text("".join(short + long))
    data = DataConfig(task="translation", train="train.tsv", valid="valid.tsv", max_pieces=6)
    events: list[TrainingEvent] = []
    folders = RunFolders(tmp_path / "run", data=tmp_path)
    best = train(replace(CONFIG, data=data, epochs=1), events.append, folders, device=CPU)
    assert isinstance(events[0], RunStarted)
    assert events[0].valid_pairs == 40
    card = (best / "README.md").read_text(encoding="utf-8")
    assert "40 validation pairs" in card
    assert "10 others" in card


def test_the_first_event_describes_the_run(finished: tuple[Path, list[TrainingEvent]]) -> None:
    folder, events = finished
    model = Registry(folder).load("last", CPU).model
    started = events[0]
    assert isinstance(started, RunStarted)
    assert (started.name, started.train_pairs, started.valid_pairs) == ("tiny", 100, 20)
    assert (started.device, started.resumed_at, started.vocab_size) == ("CPU", 0, 30)
    assert started.parameters == model.num_parameters()


def test_a_step_reports_its_own_learning_rate(finished: tuple[Path, list[TrainingEvent]]) -> None:
    steps = [event for event in finished[1] if isinstance(event, StepCompleted)]
    for event in steps:
        assert event.learning_rate == learning_rate(CONFIG.optimizer, event.step, len(steps))


def test_an_evaluation_saves_checkpoints_and_decodes_samples(
    finished: tuple[Path, list[TrainingEvent]],
) -> None:
    events = finished[1]
    evaluations = [event for event in events if isinstance(event, EvaluationCompleted)]
    assert [event.step for event in evaluations][:2] == [4, 8]
    for event in evaluations:
        assert event.perplexity == pytest.approx(math.exp(event.loss))
        assert event.bleu is not None
        assert event.exact_match is not None
    samples = [event for event in events if isinstance(event, SampleDecoded) and event.step == 4]
    assert len(samples) == 3
    assert all(event.reference == event.source[::-1] for event in samples)
    saved = [event.kind for event in events if isinstance(event, CheckpointSaved) and event.step == 4]
    assert saved == ["best", "last"]


def test_checkpoints_load_through_the_registry(finished: tuple[Path, list[TrainingEvent]]) -> None:
    registry = Registry(finished[0])
    assert registry.names() == ("best", "last")
    checkpoint = registry.load("best", CPU)
    assert (checkpoint.config.task, checkpoint.config.examples) == ("reversal", ("abc",))
    assert checkpoint.tokenizer.vocab_size == checkpoint.config.vocab_size == 30


def test_the_recipe_is_saved_beside_its_checkpoint(finished: tuple[Path, list[TrainingEvent]]) -> None:
    for folder in (finished[0], finished[0] / "best", finished[0] / "last"):
        assert TrainingConfig.load(folder / "recipe.json") == replace(CONFIG, decode_valid=5)


@pytest.mark.parametrize("network", [GRU, TRANSFORMER], ids=["gru", "transformer"])
def test_the_seed_determines_a_run(network: NetworkConfig, tmp_path: Path) -> None:
    configs = [replace(CONFIG, network=network, epochs=1, seed=seed) for seed in (1, 1, 2)]
    first, again, other = (losses(run(config, tmp_path / str(i))) for i, config in enumerate(configs))
    assert first == again
    assert first != other


def test_a_run_that_is_stopped_early_still_leaves_a_checkpoint(tmp_path: Path) -> None:
    best = train(CONFIG, lambda event: None, RunFolders(tmp_path), device=CPU, should_stop=lambda: True)
    assert Registry(tmp_path).load(best.name, CPU).model.num_parameters() > 0


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Validation losses that fall once and then rise."""
    script = iter([3.0, 2.0, *(2.0 + i for i in range(100))])

    def loss(self: Validator, model: Seq2SeqModel) -> float:
        return next(script)

    monkeypatch.setattr(Validator, "loss", loss)


@pytest.mark.usefixtures("scripted")
def test_early_stopping_keeps_the_best_checkpoint(tmp_path: Path) -> None:
    contents: dict[int, bytes] = {}
    events: list[TrainingEvent] = []

    def emit(event: TrainingEvent) -> None:
        events.append(event)
        if isinstance(event, CheckpointSaved) and event.kind == "best":
            contents[event.step] = (tmp_path / "best" / "model.safetensors").read_bytes()

    config = replace(CONFIG, epochs=100, evaluate_every=2, patience=3)
    assert train(config, emit, RunFolders(tmp_path), device=CPU) == tmp_path / "best"
    evaluations = [event for event in events if isinstance(event, EvaluationCompleted)]
    assert [event.best for event in evaluations] == [True, True, False, False, False]
    assert list(contents) == [2, 4]
    assert isinstance(events[-1], RunFinished)
    assert events[-1].step == 10
    assert (tmp_path / "best" / "model.safetensors").read_bytes() == contents[4]
    assert (tmp_path / "last" / "model.safetensors").read_bytes() != contents[4]


def test_the_checkpoint_holds_the_averaged_weights(tmp_path: Path) -> None:
    """The average begins at the first step: w <- decay * w + (1 - decay) * new."""
    steps = [2, 3]
    for step in steps:
        for decay in (0.0, 0.5):
            optimizer = replace(CONFIG.optimizer, average_decay=decay)
            config, folder = replace(CONFIG, optimizer=optimizer), tmp_path / f"{step}-{decay}"
            run(config, folder, should_stop=after(step))

    def weights(step: int, decay: float) -> dict[str, torch.Tensor]:
        return Registry(tmp_path / f"{step}-{decay}").load("last", CPU).model.state_dict()

    for name, averaged in weights(3, 0.5).items():
        expected = 0.5 * weights(2, 0.5)[name] + 0.5 * weights(3, 0.0)[name]
        torch.testing.assert_close(averaged, expected, rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("every", "steps"), [(1, [1, 2, 3]), (5, [1, 2, 4, 5, 10]), (20, [1, 2, 4, 8, 16, 20])]
)
def test_the_first_reports_come_soon(every: int, steps: list[int]) -> None:
    progress = RunProgress()
    meter = Meter(progress, Group(), 0.0, 100)
    due = []
    while len(due) < len(steps):
        progress.step += 1
        due += [progress.step] * meter.is_due(every)
    assert due == steps


def test_steps_between_two_reports_are_averaged_and_none_is_lost(tmp_path: Path) -> None:
    step_losses = losses(run(CONFIG, tmp_path / "each"))
    config = replace(CONFIG, report_every=3, evaluate_every=1000)
    events = run(config, tmp_path / "third")
    reports = [event for event in events if isinstance(event, StepCompleted)]
    assert [event.step for event in reports] == [1, 2, *range(3, len(step_losses), 3), len(step_losses)]
    begin = 0
    for event in reports:
        part = step_losses[begin : event.step]
        assert event.loss == pytest.approx(sum(part) / len(part), rel=1e-5)
        begin = event.step


def test_the_clock_counts_only_training_and_continues_when_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    def taking(seconds: float, work: Callable[..., Any]) -> Callable[..., Any]:
        def slow(*arguments: Any) -> Any:
            nonlocal now
            now += seconds
            return work(*arguments)

        return slow

    monkeypatch.setattr(time, "perf_counter", lambda: now)
    monkeypatch.setattr(Objective, "forward", taking(1, Objective.forward))
    monkeypatch.setattr(Validator, "loss", taking(100, Validator.loss))
    events = run(CONFIG, tmp_path, should_stop=after(3))
    assert sum(1 for event in events if isinstance(event, StepCompleted)) == 3
    events += run(CONFIG, tmp_path, resume=True)
    steps = [event for event in events if isinstance(event, StepCompleted)]
    assert [e.seconds for e in events if isinstance(e, RunFinished)] == [len(steps)]
    tokens = sum(event.tokens_per_second for event in steps)  # a second for each step
    assert isinstance(events[-1], RunFinished)
    assert tokens == events[-1].target_tokens


def test_a_diverged_run_fails_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Objective, "forward", lambda objective, _: objective.model.output.bias.sum() * math.nan
    )
    events: list[TrainingEvent] = []
    with refused(TrainingError, "loss_no_number", 1):
        train(CONFIG, events.append, RunFolders(tmp_path), device=CPU)
    assert [type(event) for event in events] == [RunStarted]
    assert not (tmp_path / "last").exists()


def test_pairs_that_are_all_too_long_are_refused(tmp_path: Path) -> None:
    config = replace(CONFIG, data=replace(CONFIG.data, max_pieces=1))
    with refused(ValueError, "no_short_pair", 1):
        run(config, tmp_path)


def test_long_training_pairs_are_left_out(tmp_path: Path) -> None:
    config = replace(CONFIG, data=replace(CONFIG.data, max_pieces=6), epochs=1)
    started = run(config, tmp_path)[0]
    assert isinstance(started, RunStarted)
    assert 0 < started.train_pairs < 100
    assert 0 < started.valid_pairs < 20

"""A run that was stopped goes on as if it had not been."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.training.events import EvaluationCompleted, RunFinished, RunStarted
from models.training.loop.resume_state import STATE_FILE, StateError
from models.training.recipe.sections import TokenizerConfig
from tests.fakes.training.small_run import CONFIG, GRU, TRANSFORMER, after, losses, run
from tests.refusals import refused

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("network", [GRU, TRANSFORMER], ids=["gru", "transformer"])
@pytest.mark.parametrize("average_decay", [0.0, 0.9])
def test_a_resumed_run_equals_the_uninterrupted_run(
    network: NetworkConfig, average_decay: float, tmp_path: Path
) -> None:
    """The run stops at the first step, inside an epoch, at an evaluation, and between epochs."""
    optimizer = replace(CONFIG.optimizer, average_decay=average_decay)
    config = replace(CONFIG, network=network, optimizer=optimizer)
    whole = run(config, tmp_path / "whole")
    steps = len(losses(whole))
    per_epoch = steps // 2
    assert per_epoch > 4
    all_losses: list[float] = []
    for done, until in ((0, 1), (1, 4), (4, per_epoch), (per_epoch, per_epoch + 2)):
        part = run(config, tmp_path / "parts", resume=done > 0, should_stop=after(until - done))
        assert isinstance(part[0], RunStarted)
        assert part[0].resumed_at == done
        all_losses += losses(part)
    all_losses += losses(run(config, tmp_path / "parts", resume=True))
    assert all_losses == losses(whole)
    for name in ("best", "last"):
        files = (tmp_path / kind / name / "model.safetensors" for kind in ("whole", "parts"))
        assert len({file.read_bytes() for file in files}) == 1


def test_resuming_a_finished_run_trains_no_further(tmp_path: Path) -> None:
    run(CONFIG, tmp_path)
    before = (tmp_path / "last" / "model.safetensors").read_bytes()
    events = run(CONFIG, tmp_path, resume=True)
    assert losses(events) == []
    assert isinstance(events[-1], RunFinished)
    assert (tmp_path / "last" / "model.safetensors").read_bytes() == before


def test_resuming_a_run_that_ran_out_of_patience_trains_no_further(tmp_path: Path) -> None:
    optimizer = replace(CONFIG.optimizer, learning_rate=0.5, average_decay=0.0)
    config = replace(CONFIG, patience=1, epochs=40, evaluate_every=2, optimizer=optimizer)
    first = run(config, tmp_path)
    assert isinstance(first[-1], RunFinished)
    assert first[-1].step < 80, "or patience had no part in it"
    again = run(config, tmp_path, resume=True)
    assert losses(again) == []
    assert isinstance(again[-1], RunFinished)
    assert again[-1].step == first[-1].step


def test_a_finished_run_is_evaluated_once(tmp_path: Path) -> None:
    config = replace(CONFIG, evaluate_every=1000)
    evaluations = [
        sum(isinstance(event, EvaluationCompleted) for event in run(config, tmp_path, resume=resume))
        for resume in (False, True)
    ]
    assert evaluations == [1, 0]


def test_a_run_stopped_at_its_last_step_is_evaluated_when_resumed(tmp_path: Path) -> None:
    config = replace(CONFIG, evaluate_every=1000)
    whole = run(config, tmp_path / "whole")
    run(config, tmp_path / "parts", should_stop=after(len(losses(whole))))
    resumed = run(config, tmp_path / "parts", resume=True)
    scored = [
        [event for event in part if isinstance(event, EvaluationCompleted)] for part in (whole, resumed)
    ]
    assert losses(resumed) == []
    assert scored[0] == scored[1]
    assert (tmp_path / "parts" / "best").exists()


def test_resuming_without_a_saved_state_starts_at_the_first_step(tmp_path: Path) -> None:
    events = run(replace(CONFIG, epochs=1), tmp_path, resume=True)
    assert isinstance(events[0], RunStarted)
    assert events[0].resumed_at == 0


def test_a_fresh_run_takes_nothing_from_an_older_one(tmp_path: Path) -> None:
    """Without `resume`, a run only writes to the folder of another recipe."""
    other = replace(CONFIG, tokenizer=TokenizerConfig(kind="character", vocab_size=20), seed=5)
    run(other, tmp_path / "used", should_stop=after(1))
    assert run(CONFIG, tmp_path / "used")[0] == run(CONFIG, tmp_path / "new")[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"network": RecurrentConfig(d_embed=16, d_model=32, d_attention=8)},
        {"network": RecurrentConfig(cell="lstm", d_embed=16, d_model=16, d_attention=8)},
        {"network": TRANSFORMER},
    ],
)
def test_the_state_of_another_network_is_refused(changes: dict[str, Any], tmp_path: Path) -> None:
    run(CONFIG, tmp_path, should_stop=after(1))
    with refused(StateError, "state_does_not_fit", STATE_FILE):
        run(replace(CONFIG, **changes), tmp_path, resume=True)


@pytest.mark.parametrize("file", ["train.tsv", "valid.tsv"])
def test_other_pairs_than_those_that_the_run_began_with_are_refused(file: str, tmp_path: Path) -> None:
    data = replace(CONFIG.data, task="translation", train="train.tsv", valid="valid.tsv", casual_sources=0.0)
    config, lines = replace(CONFIG, data=data), [f"{a}{b}\t{b}{a}\n" for a in "abcd" for b in "efgh"]
    for name in ("train.tsv", "valid.tsv"):
        (tmp_path / name).write_text("".join(lines))
    run(config, tmp_path / "run", should_stop=after(1), data=tmp_path)
    (tmp_path / file).write_text("".join(lines[:8]))
    with refused(StateError, "other_pairs"):
        run(config, tmp_path / "run", resume=True, data=tmp_path)
    (tmp_path / file).write_text("".join(lines))
    assert losses(run(config, tmp_path / "run", resume=True, data=tmp_path))


@pytest.mark.parametrize("size", [0, 100, -100])
def test_a_damaged_state_is_refused(size: int, tmp_path: Path) -> None:
    run(CONFIG, tmp_path, should_stop=after(1))
    content = (tmp_path / STATE_FILE).read_bytes()
    (tmp_path / STATE_FILE).write_bytes(content[:size])
    with refused(StateError, "state_does_not_fit", STATE_FILE):
        run(CONFIG, tmp_path, resume=True)

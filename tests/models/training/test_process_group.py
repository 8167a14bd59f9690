"""Two processes under `torchrun` train the model that one process trains, and end together."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from models.networks.config import NetworkConfig
from models.training.events import EvaluationCompleted, RunStarted, TrainingEvent, parse_event
from models.training.process_group import Group
from tests.fakes.processes import failing_process
from tests.fakes.processes.two_processes import run_in_two, torchrun
from tests.fakes.training.small_run import CONFIG, GRU, TRANSFORMER, losses, run


def trained(folder: Path) -> list[TrainingEvent]:
    """The events of the folder's recipe, from the only process that prints."""
    recipe, output = str(folder / "recipe.json"), str(folder / "run")
    run_in_two("models.training", "--config", recipe, "--output", output, "--device", "cpu")
    return [parse_event(line) for line in (folder / "run" / "events.jsonl").read_text().splitlines()]


def validation_losses(events: list[TrainingEvent]) -> list[float]:
    return [event.loss for event in events if isinstance(event, EvaluationCompleted)]


@pytest.mark.full
@pytest.mark.parametrize("network", [GRU, TRANSFORMER], ids=["gru", "transformer"])
def test_two_processes_find_the_losses_of_one(network: NetworkConfig, tmp_path: Path) -> None:
    """The global batches are the same; there is no dropout, whose random numbers differ between processes."""
    config = replace(CONFIG, network=replace(network, dropout=0.0), decode_valid=5)
    config.save(tmp_path / "recipe.json")
    alone = run(config, tmp_path / "one")
    together = trained(tmp_path)
    assert losses(together) == pytest.approx(losses(alone), rel=1e-4)
    assert validation_losses(together) == pytest.approx(validation_losses(alone), rel=1e-4)
    assert [type(event) for event in together] == [type(event) for event in alone]
    assert isinstance(together[0], RunStarted)
    assert together[0].processes == 2
    names = [json.loads((tmp_path / run / "best" / "config.json").read_text()) for run in ("one", "run")]
    assert names[0]["network"] == names[1]["network"]


@pytest.mark.full
@pytest.mark.slow
def test_a_failing_process_ends_the_others(tmp_path: Path) -> None:
    """The others end long before the half hour that processes wait for each other."""
    result = torchrun("tests.fakes.processes.failing_process")
    assert result.returncode != 0
    assert failing_process.REASON in result.stderr


def test_the_shares_of_a_batch_add_up_to_the_batch() -> None:
    indices = list(range(11))
    shares = [Group(rank, 3).share(indices) for rank in range(3)]
    assert sorted(index for share in shares for index in share) == indices
    assert max(map(len, shares)) - min(map(len, shares)) <= 1

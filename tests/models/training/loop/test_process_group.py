"""Two processes under `torchrun` train the model that one process trains, and end together."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from models.networks.config import NetworkConfig
from models.training.events import EvaluationCompleted, RunStarted, TrainingEvent, parse_event
from models.training.loop.process_group import Group
from tests.fakes.small_run import CONFIG, GRU, TRANSFORMER, losses, run

ROOT = Path(__file__).parents[4]
TRAINING = (
    *("models.training", "--config", "{folder}/recipe.json"),
    *("--output", "{folder}/run", "--device", "cpu"),
)
EVALUATION = (
    *("models.evaluation", "--checkpoint", "reverse-gru", "--pairs", "4", "--device", "cpu"),
    *("--report", "{folder}/report.json"),
)


def torchrun(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A module in two processes, when both have ended."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m"]
    return subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=200)


def trained(folder: Path) -> list[TrainingEvent]:
    """The events of the folder's recipe, from the only process that speaks."""
    result = torchrun(*(argument.format(folder=folder) for argument in TRAINING))
    assert result.returncode == 0, result.stderr[-2000:]
    return [parse_event(line) for line in (folder / "run" / "events.jsonl").read_text().splitlines()]


def judged(events: list[TrainingEvent]) -> list[float]:
    return [event.loss for event in events if isinstance(event, EvaluationCompleted)]


@pytest.mark.slow
@pytest.mark.parametrize("network", [GRU, TRANSFORMER], ids=["gru", "transformer"])
def test_two_processes_find_the_losses_of_one(network: NetworkConfig, tmp_path: Path) -> None:
    """Same global batches; without dropout, whose coins differ between processes."""
    config = replace(CONFIG, network=replace(network, dropout=0.0), decode_valid=5)
    config.save(tmp_path / "recipe.json")
    alone = run(config, tmp_path / "one")
    together = trained(tmp_path)
    assert losses(together) == pytest.approx(losses(alone), rel=1e-4)
    assert judged(together) == pytest.approx(judged(alone), rel=1e-4)
    assert [type(event) for event in together] == [type(event) for event in alone]
    assert isinstance(together[0], RunStarted)
    assert together[0].processes == 2
    names = [json.loads((tmp_path / run / "best" / "config.json").read_text()) for run in ("one", "run")]
    assert names[0]["network"] == names[1]["network"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux names a process's threads")
@pytest.mark.parametrize("command", [TRAINING, EVALUATION], ids=["training", "evaluation"])
def test_no_thread_outlives_the_group(command: tuple[str, ...], tmp_path: Path) -> None:
    """One that lets go of a tensor while the interpreter ends would abort the process."""
    replace(CONFIG, epochs=1).save(tmp_path / "recipe.json")
    arguments = [argument.format(folder=tmp_path) for argument in command]
    result = torchrun("tests.fakes.group_threads", *arguments)
    assert result.returncode == 0, result.stderr[-2000:]
    told = re.findall(r"threads: \[(.*)\] then \[(.*)\]", result.stderr)
    assert len(told) == 2
    for before, after in told:
        assert "gloo" in before
        assert after == ""


@pytest.mark.slow
def test_who_fails_does_not_leave_the_others_waiting(tmp_path: Path) -> None:
    """Far sooner than the half hour that processes wait for each other."""
    result = torchrun("tests.fakes.failing_process")
    assert result.returncode != 0
    assert "failed on purpose" in result.stderr


def test_the_shares_of_a_batch_are_the_batch() -> None:
    indices = list(range(11))
    shares = [Group(rank, 3).share(indices) for rank in range(3)]
    assert sorted(index for share in shares for index in share) == indices
    assert max(map(len, shares)) - min(map(len, shares)) <= 1

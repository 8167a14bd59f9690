"""Training on an accelerator: the losses equal those of the CPU without dropout; runs can be resumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.networks.config import NetworkConfig
from models.registry.checkpoint import load_checkpoint
from models.training.data import training_data
from models.training.events import EvaluationCompleted, RunStarted, TrainingEvent
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import TeacherForcingConfig
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

pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("error:RNN module weights")]
RECIPE = replace(CONFIG, epochs=1, evaluate_every=3, decode_valid=4)
OWN_TOKENS = TeacherForcingConfig(schedule="linear", start=0.9, end=0.3)
RECIPES = {
    **of_each_network(RECIPE),
    "own-tokens": replace(RECIPE, network=WITHOUT_DROPOUT["gru"], teacher_forcing=OWN_TOKENS),
    "sgd-smoothed": replace(
        RECIPE,
        network=WITHOUT_DROPOUT["transformer"],
        optimizer=replace(RECIPE.optimizer, kind="sgd", label_smoothing=0.1, average_decay=0.0),
    ),
}


def validation_losses(events: list[TrainingEvent]) -> list[float]:
    return [event.loss for event in events if isinstance(event, EvaluationCompleted)]


@pytest.mark.parametrize("config", RECIPES.values(), ids=RECIPES)
def test_the_losses_equal_those_of_the_cpu(config: TrainingConfig, device: str, tmp_path: Path) -> None:
    expected = run(config, tmp_path / "cpu")
    result = run(config, tmp_path / "there", device=torch.device(device))
    assert len(losses(expected)) == 5
    assert losses(result) == pytest.approx(losses(expected), rel=1e-3)
    assert validation_losses(result) == pytest.approx(validation_losses(expected), rel=1e-3)
    # A checkpoint of an accelerator opens on a machine without one.
    assert load_checkpoint(tmp_path / "there" / "best", torch.device("cpu")).config.max_length


@pytest.mark.parametrize("frozen", [(), ("embeddings", "encoder")])
def test_fine_tuning_learns_the_same_as_on_the_cpu(
    frozen: tuple[str, ...], device: str, tmp_path: Path
) -> None:
    run(RECIPES["gru"], tmp_path / "base")
    tuning = replace(RECIPES["gru"], start="base", freeze=frozen, seed=1)
    expected, result = (
        losses(run(tuning, tmp_path / where, device=torch.device(where), start=tmp_path / "base" / "best"))
        for where in ("cpu", device)
    )
    assert result == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("network", [GRU, TRANSFORMER], ids=["gru", "transformer"])
def test_a_resumed_run_draws_the_dropout_of_the_uninterrupted_one(
    network: NetworkConfig, device: str, tmp_path: Path
) -> None:
    target, config = torch.device(device), replace(RECIPE, network=replace(network, dropout=0.3))
    whole = losses(run(config, tmp_path / "whole", device=target))
    first_part = run(config, tmp_path / "parts", device=target, should_stop=after(4))
    resumed = run(config, tmp_path / "parts", device=target, resume=True)
    assert isinstance(resumed[0], RunStarted)
    assert resumed[0].resumed_at == 4
    # The order in which a GPU adds may differ from run to run.
    assert losses(first_part) + losses(resumed) == pytest.approx(whole, rel=1e-3)


@pytest.mark.parametrize("name", ["transformer", "own-tokens"])
def test_ids_on_the_device_make_the_same_batches(
    name: str, device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, results, target = RECIPES[name], [], torch.device(device)
    config = replace(config, data=replace(config.data, casual_sources=0.0))
    for has_room in (False, True):
        monkeypatch.setattr(training_data, "has_room", lambda device, size, answer=has_room: answer)
        results.append(losses(run(config, tmp_path / str(has_room), device=target)))
    assert results[1] == pytest.approx(results[0], rel=1e-3)

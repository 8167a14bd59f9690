"""Captured steps on a device that captures: what they learn, and that a run with them can be resumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.device import gains_from_capture
from models.networks.config import NetworkConfig
from models.training.events import Notice
from models.training.loop import update
from models.training.loop.captured_step import CapturedSteps
from models.training.recipe.config import TrainingConfig
from tests.fakes.training.small_run import CONFIG, GRU, TRANSFORMER, after, losses, of_each_network, run

pytestmark = pytest.mark.gpu
RECIPE = replace(
    CONFIG,
    data=replace(CONFIG.data, casual_sources=0.0),
    optimizer=replace(CONFIG.optimizer, label_smoothing=0.1, clip_norm=0.5),
    epochs=12,
    evaluate_every=20,
)
RECIPES = of_each_network(RECIPE)


@pytest.fixture
def there(device: str) -> torch.device:
    if not gains_from_capture(torch.device(device)):
        pytest.skip("this device captures nothing")
    return torch.device(device)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[CapturedSteps]:
    """One entry for each step that was captured, or warmed its size up."""
    calls: list[CapturedSteps] = []
    run_step = CapturedSteps.run

    def counted(steps: CapturedSteps, *arguments: object) -> object:
        calls.append(steps)
        return run_step(steps, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(CapturedSteps, "run", counted)
    return calls


@pytest.mark.parametrize(("bf16", "tolerance"), [(False, 1e-3), (True, 3e-2)], ids=["fp32", "bf16"])
@pytest.mark.parametrize("config", RECIPES.values(), ids=RECIPES)
def test_fifty_captured_steps_learn_what_ordinary_ones_do(
    config: TrainingConfig,
    bf16: bool,
    tolerance: float,
    there: torch.device,
    runs: list[CapturedSteps],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = replace(config, optimizer=replace(config.optimizer, bf16=bf16))
    events = run(config, tmp_path / "captured", device=there, should_stop=after(50))
    assert not [event for event in events if isinstance(event, Notice)]
    assert len(runs) == len(losses(events))
    monkeypatch.setattr(update, "gains_from_capture", lambda device: False)
    plain = run(config, tmp_path / "plain", device=there, should_stop=after(50))
    assert losses(events) == pytest.approx(losses(plain), rel=tolerance)


@pytest.mark.parametrize("network", [GRU, TRANSFORMER], ids=["gru", "transformer"])
def test_a_resumed_run_draws_the_dropout_of_the_uninterrupted_one(
    network: NetworkConfig, there: torch.device, runs: list[CapturedSteps], tmp_path: Path
) -> None:
    config = replace(RECIPE, network=replace(network, dropout=0.3), epochs=3)
    whole = losses(run(config, tmp_path / "whole", device=there))
    first_half = run(config, tmp_path / "parts", device=there, should_stop=after(len(whole) // 2))
    second_half = run(config, tmp_path / "parts", device=there, resume=True)
    assert losses(first_half) + losses(second_half) == pytest.approx(whole, rel=1e-3)
    assert len(runs) == 2 * len(whole)

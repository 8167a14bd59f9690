"""Training on an accelerator: what is learnt is the CPU's where nothing is drawn; a run can be resumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.networks.captioner.config import CaptionerConfig
from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.registry.checkpoint import load_checkpoint
from models.training.events import EvaluationCompleted, RunStarted, TrainingEvent
from models.training.recipe.config import DataConfig, TeacherForcingConfig, TokenizerConfig, TrainingConfig
from tests.fakes.training.small_run import CONFIG, GRU, TRANSFORMER, after, losses, run

pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("error:RNN module weights")]
RECIPE = replace(CONFIG, epochs=1, evaluate_every=3, decode_valid=4)
NETWORKS: dict[str, NetworkConfig] = {
    "rnn": RecurrentConfig(cell="rnn", d_embed=16, d_model=16, attention="none"),
    "gru": replace(GRU, dropout=0.0),
    "lstm": RecurrentConfig(
        cell="lstm", d_embed=16, d_model=16, num_layers=2, attention="general", context="concat"
    ),
    "transformer": replace(TRANSFORMER, dropout=0.0),
}
OWN_TOKENS = TeacherForcingConfig(schedule="linear", start=0.9, end=0.3)
RECIPES = {
    **{name: replace(RECIPE, network=network) for name, network in NETWORKS.items()},
    "own-tokens": replace(RECIPE, network=NETWORKS["gru"], teacher_forcing=OWN_TOKENS),
    "sgd-smoothed": replace(
        RECIPE,
        network=NETWORKS["transformer"],
        optimizer=replace(RECIPE.optimizer, kind="sgd", label_smoothing=0.1, average_decay=0.0),
    ),
    "captioner": replace(
        RECIPE,
        data=DataConfig(task="shapes", train_size=40, valid_size=8, options={"shapes": 1}),
        tokenizer=TokenizerConfig(kind="word", vocab_size=50),
        network=CaptionerConfig(
            picture_size=64, cells=8, channels=4, d_embed=8, d_model=8, d_attention=8, dropout=0.0
        ),
        batch_tokens=512,
        examples=(),
        max_length=8,
    ),
}


def validation_losses(events: list[TrainingEvent]) -> list[float]:
    return [event.loss for event in events if isinstance(event, EvaluationCompleted)]


@pytest.mark.parametrize("config", RECIPES.values(), ids=RECIPES)
def test_the_losses_are_the_cpus(config: TrainingConfig, device: str, tmp_path: Path) -> None:
    expected = run(config, tmp_path / "cpu")
    result = run(config, tmp_path / "there", device=torch.device(device))
    assert len(losses(expected)) == 5
    assert losses(result) == pytest.approx(losses(expected), rel=1e-3)
    assert validation_losses(result) == pytest.approx(validation_losses(expected), rel=1e-3)
    # A checkpoint of an accelerator opens on a machine without one.
    assert load_checkpoint(tmp_path / "there" / "best", torch.device("cpu")).config.max_length


@pytest.mark.parametrize("frozen", [(), ("embeddings", "encoder")])
def test_fine_tuning_learns_what_it_does_on_the_cpu(
    frozen: tuple[str, ...], device: str, tmp_path: Path
) -> None:
    run(RECIPES["gru"], tmp_path / "base")
    tuning = replace(RECIPES["gru"], start="base", freeze=frozen, seed=1)
    expected, result = (
        losses(run(tuning, tmp_path / index, device=torch.device(index), start=tmp_path / "base" / "best"))
        for index in ("cpu", device)
    )
    assert result == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("network", [GRU, TRANSFORMER], ids=["gru", "transformer"])
def test_a_resumed_run_draws_the_dropout_of_the_uninterrupted_one(
    network: NetworkConfig, device: str, tmp_path: Path
) -> None:
    there, config = torch.device(device), replace(RECIPE, network=replace(network, dropout=0.3))
    whole = losses(run(config, tmp_path / "whole", device=there))
    begun = run(config, tmp_path / "parts", device=there, should_stop=after(4))
    resumed = run(config, tmp_path / "parts", device=there, resume=True)
    assert isinstance(resumed[0], RunStarted)
    assert resumed[0].resumed_at == 4
    # The order in which a GPU adds may differ from run to run.
    assert losses(begun) + losses(resumed) == pytest.approx(whole, rel=1e-3)

"""Every setting of the form: what it takes, what it refuses, and that presets keep to it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from demo.checks import RequestError
from demo.training.expectation import expectation, num_parameters
from demo.training.fields import FIELDS, Field
from demo.training.presets import PRESETS, Preset, fitted, for_fine_tuning
from demo.training.recipe import applies, checked_values, training_config, values_of
from models.corpus.generated.tasks import GENERATED
from models.networks.config import NetworkConfig, RecurrentConfig, TransformerConfig, build_model
from models.tokenization import Tokenizer
from models.training.config import FILES, TrainingConfig

ROOT = Path(__file__).parents[2]
TASKS = (FILES, *GENERATED)
STRANGE = (None, math.nan, math.inf, [], {}, [[]], {"a": 1}, 10**30, -(10**30), object())


def data(task: str) -> dict[str, Any]:
    return {"task": task, **({"train": "train.tsv", "valid": "valid.tsv"} if task == FILES else {})}


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.path)
def test_a_field_refuses_what_it_cannot_be(field: Field) -> None:
    wrong = [value for value in STRANGE if not (field.kind == "choices" and value == [])]
    wrong += [True, "x"] if field.kind in ("whole", "number") else []
    wrong += [1, "on"] if field.kind == "switch" else []
    wrong += ["x", 3] if field.kind in ("choice", "choices") else []
    wrong += ["x" * 1000, 3] if field.kind == "text" else []
    wrong += [field.low - 1, field.high + 1] if field.kind in ("whole", "number") else []
    wrong += [field.low + 0.5] if field.kind == "whole" else []
    for value in wrong:
        with pytest.raises(RequestError) as refusal:
            field.checked(value)
        assert field.label in str(refusal.value)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.path)
def test_a_field_takes_its_bounds(field: Field) -> None:
    if field.kind in ("whole", "number"):
        assert field.checked(field.low) == field.low
        assert field.checked(field.high) == field.high
    for _, name in field.choices:
        assert field.checked([name] if field.kind == "choices" else name)


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.name)
@pytest.mark.parametrize("task", TASKS)
def test_a_preset_passes_its_own_form(preset: Preset, task: str) -> None:
    for config in (
        fitted(preset, task),
        for_fine_tuning(fitted(preset, task), few_pairs=False),
        for_fine_tuning(fitted(preset, task), few_pairs=True),
    ):
        values = checked_values(values_of(config))
        again = training_config(config.name, data(task), values)
        assert again.network == config.network
        assert again.optimizer == config.optimizer
        assert again.epochs == config.epochs


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(ROOT.glob("checkpoints/*/recipe.json")) if "captioner" not in path.parent.name],
    ids=lambda path: path.parent.name,
)
def test_a_shipped_recipe_can_be_loaded_into_the_form(path: Path) -> None:
    config = TrainingConfig.load(path)
    again = training_config(config.name, data(config.data.task), checked_values(values_of(config)))
    assert (again.network, again.optimizer, again.tokenizer) == (
        config.network,
        config.optimizer,
        config.tokenizer,
    )
    assert (again.epochs, again.batch_tokens, again.seed) == (config.epochs, config.batch_tokens, config.seed)


def test_the_form_has_every_setting_of_a_recipe() -> None:
    """A setting that is added to the configuration has to be offered, or left out here on purpose."""
    fixed = {"name", "start", "examples", "save_every"}
    data_card = {"data.task", "data.options", "data.train", "data.valid", "data.swap"}
    own_files = {"data.corpus", "data.supplement", "data.supplement_repeats"}
    offered = {field.path for field in FIELDS}
    for network in (RecurrentConfig(), TransformerConfig()):
        recipe = TrainingConfig(name="x", network=network).to_dict()
        paths = set()
        for name, value in recipe.items():
            sections = ("data", "tokenizer", "network", "optimizer", "teacher_forcing")
            paths |= {f"{name}.{key}" for key in value} if name in sections else {name}
        assert paths - offered - fixed - data_card - own_files == (
            {"network.max_positions"} if isinstance(network, TransformerConfig) else set()
        )


def test_what_an_architecture_lacks_is_not_asked_for() -> None:
    values = values_of(fitted(PRESETS["minutes"], "reversal"))
    assert all(applies(field, values) for field in FIELDS if field.path in values)
    values["network.num_heads"] = None  # of the other architecture: the form shows it empty
    assert "network.num_heads" not in checked_values(values)


@pytest.mark.parametrize(
    "network",
    [
        RecurrentConfig(),
        RecurrentConfig("lstm", 256, 256, 2, bidirectional=False, attention="none", tie_output=True),
        RecurrentConfig("gru", 256, 512, share_embeddings=True, tie_output=True, context="concat"),
        TransformerConfig(),
        TransformerConfig(512, 8, 2048, 6, 6, share_embeddings=False, tie_output=False),
    ],
)
def test_the_number_of_weights_is_near_the_truth(network: NetworkConfig) -> None:
    real = build_model(network, 3000, Tokenizer.pad_id).num_parameters()
    assert num_parameters(network, 3000) == pytest.approx(real, rel=0.03)


def test_what_to_expect_grows_with_the_work() -> None:
    config = fitted(PRESETS["minutes"], "reversal")
    assert "hardly any training" in expectation(config, 500, 30, on_cpu=True)
    assert "Take a smaller network" in expectation(config, 10**9, 30, on_cpu=True)
    calm = expectation(config, 150_000, 30, on_cpu=True)
    assert "second" in calm or "minute" in calm
    assert "steps" in calm

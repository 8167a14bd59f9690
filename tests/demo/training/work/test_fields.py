"""Every setting of the form: accepted and refused values, also in presets."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from demo.training.form.settings_card import training_rules
from demo.training.work.fields import (
    ARCHITECTURE,
    FIELDS,
    NETWORK_FIELDS,
    PRESETS,
    TEXT_ARCHITECTURES,
    FormField,
    TrainingPreset,
    applies,
    checked_values,
    fit_tokens,
    for_fine_tuning,
    training_config,
    values_of,
)
from demo.training.work.run_report import facts_of
from demo.training.work.workload import Epoch, expectation
from demo.work.requests.checks import RequestError
from models.corpus.generated.all_tasks import GENERATED
from models.networks.architectures import ARCHITECTURES
from models.networks.cells import CELLS
from models.networks.recurrent.config import RecurrentConfig
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import FILES_TASK

ROOT = Path(__file__).parents[4]
TASKS = (FILES_TASK, *GENERATED)
STRANGE = (None, math.nan, math.inf, [], {}, [[]], {"a": 1}, 10**30, -(10**30), object())


def data(task: str) -> dict[str, Any]:
    return {"task": task, **({"train": "train.tsv", "valid": "valid.tsv"} if task == FILES_TASK else {})}


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.path)
def test_a_field_refuses_invalid_values(field: FormField) -> None:
    setting = field.setting
    wrong = [value for value in STRANGE if not (setting.kind is tuple and value == [])]
    if setting.low is not None and setting.high is not None:
        wrong += [True, "x", setting.low - 1, setting.high + 1]
        wrong += [setting.low + 0.5] if setting.kind is int else []
    else:
        wrong += ["x" * 1000, 3]
        wrong += [1, "on"] if setting.kind is bool else []
        wrong += ["x"] if setting.choices else []
    for value in wrong:
        with pytest.raises(RequestError) as refusal:
            field.checked_value(value)
        assert setting.label in str(refusal.value)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.path)
def test_a_field_takes_its_bounds(field: FormField) -> None:
    setting = field.setting
    for bound in filter(None, (setting.low, setting.high)):
        assert field.checked_value(bound) == bound
    for word in setting.words:
        assert field.checked_value([word] if setting.kind is tuple else word)


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
@pytest.mark.parametrize("task", TASKS)
def test_a_preset_passes_its_own_form(preset: TrainingPreset, task: str) -> None:
    for config in (
        fit_tokens(preset, task),
        for_fine_tuning(fit_tokens(preset, task), few_pairs=False),
        for_fine_tuning(fit_tokens(preset, task), few_pairs=True),
    ):
        values = checked_values(values_of(config))
        again = training_config(config.name, data(task), values)
        assert again.network == config.network
        assert again.optimizer == config.optimizer
        assert again.epochs == config.epochs


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted(ROOT.glob("checkpoints/*/recipe.json"))
        if not TrainingConfig.load(path).network.reads_pictures
    ],
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
    """A new setting of the configuration must be in the form or be listed here as an exception."""
    fixed = {"name", "start", "examples", "save_every"}
    data_card = {"data.task", "data.options", "data.train", "data.valid", "data.swap", "data.columns"}
    own_files = {"data.corpus", "data.supplement", "data.supplement_repeats"}
    offered = {field.path for field in FIELDS}
    for kind in TEXT_ARCHITECTURES.values():
        network = kind()
        recipe = TrainingConfig(name="x", network=network).to_dict()
        paths = set()
        for name, value in recipe.items():
            sections = ("data", "tokenizer", "network", "optimizer", "teacher_forcing")
            paths |= {f"{name}.{key}" for key in value} if name in sections else {name}
        unasked = {f"network.{name}" for name, about in kind.settings().items() if not about.label}
        assert paths - offered - fixed - data_card - own_files == unasked


@pytest.mark.parametrize("architecture", TEXT_ARCHITECTURES)
def test_the_form_has_exactly_the_fields_of_an_architecture(architecture: str) -> None:
    defaults = {field.path: field.setting.default for field in NETWORK_FIELDS if field is not ARCHITECTURE}
    preset = values_of(fit_tokens(PRESETS["minutes"], "reversal"))
    values = checked_values({**preset, **defaults, "network.architecture": architecture})
    network = training_config("name", data("reversal"), values).network
    assert type(network) is TEXT_ARCHITECTURES[architecture]
    names = [path.removeprefix("network.") for path in values if path in defaults]
    assert names == list(TEXT_ARCHITECTURES[architecture].offered)


def test_fields_of_some_architectures_are_hidden_for_the_others() -> None:
    for field in NETWORK_FIELDS:
        name = field.path.removeprefix("network.")
        having = {key for key, kind in TEXT_ARCHITECTURES.items() if name in kind.offered}
        assert set(field.only) == (having if 0 < len(having) < len(TEXT_ARCHITECTURES) else set())
    for name in TEXT_ARCHITECTURES:
        selector = f'.train-settings:has(#train-network-architecture input[value="{name}"]:checked)'
        assert f"{selector} .of-architecture:not(.of-{name})" in training_rules()


@pytest.mark.parametrize("name", CELLS)
def test_every_cell_can_be_chosen_and_is_named(name: str) -> None:
    cells = next(field for field in NETWORK_FIELDS if field.path == "network.cell")
    assert (CELLS[name].title, name) in [(choice.label, choice.value) for choice in cells.setting.choices]
    config = TrainingConfig(name="x", network=RecurrentConfig(cell=name))
    assert facts_of(config)[1].startswith(f"{CELLS[name].title}, 512 wide")
    assert config.network.description() == f"bidirectional {CELLS[name].title}, additive attention"
    assert "million weights" in expectation(config, Epoch(10, 10_000), 30, on_cpu=True)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_architecture_has_a_description_and_a_form(name: str) -> None:
    network = ARCHITECTURES[name]()
    assert network.description()
    if name not in TEXT_ARCHITECTURES:
        assert network.reads_pictures
        return
    assert (network.title, name) in [(choice.label, choice.value) for choice in ARCHITECTURE.setting.choices]
    config = TrainingConfig(name="x", network=network)
    assert facts_of(config)[1] == ", ".join(network.facts())
    weights = f"{network.num_parameters(30) / 1e6:.1f} million weights"
    assert weights in expectation(config, Epoch(10, 10_000), 30, on_cpu=True)


def test_fields_of_another_architecture_are_not_submitted() -> None:
    values = values_of(fit_tokens(PRESETS["minutes"], "reversal"))
    assert all(applies(field, values) for field in FIELDS if field.path in values)
    values["network.num_heads"] = None  # a field of the other architecture, empty in the form
    assert "network.num_heads" not in checked_values(values)


def test_the_expectation_grows_with_the_work() -> None:
    config = fit_tokens(PRESETS["minutes"], "reversal")
    assert "very little training" in expectation(config, Epoch(1, 500), 30, on_cpu=True)
    assert "Take a smaller network" in expectation(config, Epoch(10**6, 10**9), 30, on_cpu=True)
    calm = expectation(config, Epoch(75, 150_000), 30, on_cpu=True)
    assert "second" in calm or "minute" in calm
    assert f"{75 * config.epochs} steps" in calm


def test_the_estimate_follows_the_device() -> None:
    minutes, quality = (
        fit_tokens(PRESETS["minutes"], "reversal"),
        fit_tokens(PRESETS["quality"], "translation"),
    )
    small, large = Epoch(200, 400_000), Epoch(400, 10_000_000)
    assert "36 seconds on this GPU" in expectation(minutes, small, 30, on_cpu=False)  # 1,200 steps of 0.03 s
    assert "on this CPU" in expectation(minutes, small, 30, on_cpu=True)
    assert "days on this CPU" in expectation(quality, large, 16_000, on_cpu=True)
    assert "minutes on this GPU" in expectation(quality, large, 16_000, on_cpu=False)

"""Recipes: what is accepted, and how the rest is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from models.corpus.generated.all_tasks import TASKS
from models.networks.config import ConfigError
from models.networks.transformer.config import TransformerConfig
from models.training.recipe.config import (
    DataConfig,
    OptimizerConfig,
    TeacherForcingConfig,
    TokenizerConfig,
    TrainingConfig,
)

FULL = TrainingConfig(
    name="spa-eng",
    data=DataConfig("translation", "train.tsv.gz", "valid.tsv", True, "es", "en", 0.15, max_pieces=60),
    tokenizer=TokenizerConfig("bpe", 6000, 2),
    network=TransformerConfig(d_model=64, max_positions=64),
    optimizer=OptimizerConfig(
        "sgd", "linear", 1e-3, 10, 0.1, 0.0, 0.5, 0.9, 2.0, 0.1, 0.999, bf16=False, compile=False
    ),
    teacher_forcing=TeacherForcingConfig("inverse_sigmoid", 0.9, 0.25, 100),
    start="spa-eng-gru",
    freeze=("encoder", "embeddings"),
    epochs=3,
    patience=2,
    seed=7,
    examples=("¿Dónde está?", "pan"),
)


def test_a_recipe_survives_its_file(tmp_path: Path) -> None:
    FULL.save(tmp_path / "recipe.json")
    assert TrainingConfig.load(tmp_path / "recipe.json") == FULL
    assert "¿Dónde está?" in (tmp_path / "recipe.json").read_text(encoding="utf-8")


def test_what_is_absent_has_its_default() -> None:
    assert TrainingConfig.from_dict({"name": "x"}) == TrainingConfig(name="x")


def test_the_shipped_recipes_are_recipes() -> None:
    recipes = list((Path(__file__).parents[4] / "checkpoints").glob("*/recipe.json"))
    assert recipes
    for path in recipes:
        assert TrainingConfig.load(path).name == path.parent.name


NO_COUNT = (-1, 1.5, "3", None, True, 2**64)
COUNTS = {
    1: ("epochs", "batch_tokens", "report_every", "evaluate_every", "max_length"),
    0: ("decode_valid", "patience", "seed", "optimizer.warmup_steps", "tokenizer.min_frequency"),
    5: ("tokenizer.vocab_size",),
}


def recipe(name: str, value: Any) -> dict[str, Any]:
    """A recipe with one setting, as in "optimizer.learning_rate"."""
    section, _, setting = name.rpartition(".")
    return {"name": "x", **({section: {setting: value}} if section else {setting: value})}


def refused(name: str, value: Any, allowed: str) -> None:
    with pytest.raises(ConfigError) as caught:
        TrainingConfig.from_dict(recipe(name, value))
    assert str(caught.value) == f"{name} must be {allowed}; got {value!r}"


@pytest.mark.parametrize(
    ("name", "least"), [(name, least) for least, names in COUNTS.items() for name in names]
)
def test_a_count_is_a_whole_number(name: str, least: int) -> None:
    for value in (*NO_COUNT, least - 1):
        refused(name, value, f"a whole number of at least {least}")
    TrainingConfig.from_dict(recipe(name, least))


@pytest.mark.parametrize("name", ["data.train_size", "data.valid_size", "data.max_pieces"])
@pytest.mark.parametrize("value", [*NO_COUNT, 0])
def test_a_size_is_a_whole_number(name: str, value: Any) -> None:
    refused(name, value, "a whole number of at least 1")


@pytest.mark.parametrize(
    ("name", "allowed", "values"),
    [
        ("optimizer.learning_rate", "a number above 0 and at most 1", (0, 1.1)),
        ("optimizer.final_ratio", "a number at least 0 and at most 1", (-0.1, 1.1)),
        ("optimizer.weight_decay", "a number at least 0 and at most 1", (-0.1, 1.1)),
        ("optimizer.clip_norm", "a number at least 0", (-1,)),
        ("save_every", "a number above 0", (0, -1)),
        ("teacher_forcing.start", "a number at least 0 and at most 1", (-0.1, 1.1, "1")),
        ("optimizer.beta2", "a number at least 0 and below 1", (-0.1, 1)),
        ("optimizer.label_smoothing", "a number at least 0 and below 1", (-0.1, 1)),
        ("optimizer.average_decay", "a number at least 0 and below 1", (-0.1, 1)),
        ("data.casual_sources", "a number at least 0 and at most 1", (-0.1, 1.1)),
    ],
)
def test_a_number_has_a_range(name: str, allowed: str, values: tuple[float, ...]) -> None:
    for value in (*values, "0.5", None, True, float("nan")):
        refused(name, value, allowed)


@pytest.mark.parametrize("name", ["optimizer.bf16", "data.swap"])
@pytest.mark.parametrize("value", ["yes", 1, None])
def test_a_switch_is_true_or_false(name: str, value: Any) -> None:
    refused(name, value, "true or false")


@pytest.mark.parametrize("name", ["name", "data.train", "data.valid", "data.source_language"])
@pytest.mark.parametrize("value", [3, None, ["x"]])
def test_a_text_is_a_text(name: str, value: Any) -> None:
    refused(name, value, "a text")


@pytest.mark.parametrize("value", ["letters", None, ["bpe"]])
def test_a_choice_lists_what_there_is(value: Any) -> None:
    refused("tokenizer.kind", value, "one of character, word, bpe, wordpiece, unigram")
    refused("data.task", value, f"one of translation, {', '.join(TASKS)}")
    refused("optimizer.kind", value, "one of adamw, adam, sgd")
    refused("optimizer.schedule", value, "one of cosine, linear, inverse_sqrt, constant")
    refused("teacher_forcing.schedule", value, "one of constant, linear, exponential, inverse_sigmoid")


@pytest.mark.parametrize("value", ["abc", None, 3, [1, 2], {"a": 1}])
def test_examples_are_texts(value: Any) -> None:
    with pytest.raises(ConfigError, match="examples must be a list of texts; got "):
        TrainingConfig.from_dict({"name": "x", "examples": value})


@pytest.mark.parametrize("value", ["encoder", None, ["decoder"], [["encoder"]], [3]])
def test_what_can_be_frozen(value: Any) -> None:
    with pytest.raises(ConfigError, match="freeze must be a list of embeddings, encoder; got "):
        TrainingConfig.from_dict({"name": "x", "freeze": value})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"options": {"longest": 99}}, r"data\.options: .*from 1 to .*got 99"),
        ({"options": {"digits": 3}}, r"data\.options: .*got 'digits'"),
        ({"options": [3]}, r"data\.options must be a mapping of whole numbers; got \[3\]"),
        ({"task": "translation", "train": "a", "valid": "b", "options": {"longest": 3}}, "is for generated"),
    ],
)
def test_a_generated_task_has_its_own_options(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TrainingConfig.from_dict({"name": "x", "data": data})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"schedule": "linear", "start": 0.5, "end": 0.75}, r"teacher_forcing\.end must be at most .* 0\.5"),
        ({"schedule": "exponential", "end": 0}, r"teacher_forcing\.end must be above 0 for the exponential"),
    ],
)
def test_teacher_forcing_only_falls(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TrainingConfig.from_dict({"name": "x", "teacher_forcing": settings})


def test_a_translation_needs_its_files() -> None:
    with pytest.raises(ConfigError, match=r"data\.train and data\.valid must name TSV files"):
        TrainingConfig.from_dict({"name": "x", "data": {"task": "translation", "train": "train.tsv"}})


def test_pairs_fit_into_the_network() -> None:
    network = {"architecture": "transformer", "max_positions": 64}
    with pytest.raises(
        ConfigError, match=r"data\.max_pieces must be at most network\.max_positions = 64; got 100"
    ):
        TrainingConfig.from_dict({"name": "x", "network": network})


def test_a_network_that_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigError, match="cell must be one of rnn, lstm, gru"):
        TrainingConfig.from_dict({"name": "x", "network": {"architecture": "recurrent", "cell": "x"}})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "the configuration lacks a setting: .*'name'"),
        ({"name": "x", "epoch": 3}, "the configuration has no setting epoch"),
        ({"name": "x", "optimizer": {"lr": 1, "eps": 2}}, "optimizer has no setting eps, lr"),
        ({"name": "x", "data": "train.tsv"}, "data must be a mapping of settings; got 'train.tsv'"),
        ({"name": "x", "tokenizer": None}, "tokenizer must be a mapping of settings; got None"),
        ({"name": "x", "network": None}, "network must be a mapping"),
        ([], r"a recipe must be a mapping of settings; got \[\]"),
        (None, "a recipe must be a mapping of settings; got None"),
    ],
)
def test_what_has_another_shape_is_refused(data: Any, message: str, tmp_path: Path) -> None:
    (tmp_path / "recipe.json").write_text(json.dumps(data))
    with pytest.raises(ConfigError, match=message):
        TrainingConfig.load(tmp_path / "recipe.json")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe{}"])
def test_an_unreadable_recipe_is_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "recipe.json").write_bytes(content)
    with pytest.raises(ConfigError, match=r"recipe\.json cannot be read"):
        TrainingConfig.load(tmp_path / "recipe.json")


def test_a_missing_recipe_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^nowhere\.json cannot be read: No such file or directory$"):
        TrainingConfig.load(tmp_path / "nowhere.json")

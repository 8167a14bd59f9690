"""Recipes: what is accepted, and how the rest is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from models.corpus.generated.all_tasks import TASKS
from models.networks.config import ConfigError
from models.networks.transformer.config import TransformerConfig
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import DataConfig, OptimizerConfig, TeacherForcingConfig, TokenizerConfig
from tests.refusals import Refusal, refused

FULL = TrainingConfig(
    name="spa-eng",
    data=DataConfig(
        task="translation",
        train="train.tsv.gz",
        valid="valid.tsv",
        swap=True,
        source_language="es",
        target_language="en",
        casual_sources=0.15,
        max_pieces=60,
    ),
    tokenizer=TokenizerConfig(kind="bpe", vocab_size=6000, min_frequency=2),
    network=TransformerConfig(d_model=64, max_positions=64),
    optimizer=OptimizerConfig(
        kind="sgd",
        schedule="linear",
        learning_rate=1e-3,
        warmup_steps=10,
        final_ratio=0.1,
        weight_decay=0.0,
        momentum=0.5,
        beta2=0.9,
        clip_norm=2.0,
        label_smoothing=0.1,
        average_decay=0.999,
        bf16=False,
        compile=False,
    ),
    teacher_forcing=TeacherForcingConfig(schedule="inverse_sigmoid", start=0.9, end=0.25, steps=100),
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


def test_absent_fields_have_their_default() -> None:
    assert TrainingConfig.from_dict({"name": "x"}) == TrainingConfig(name="x")


def test_the_shipped_recipes_can_be_read() -> None:
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


def unfit(name: str, value: Any, code: str, *values: object) -> None:
    with refused(ConfigError, code, name, repr(value), *values):
        TrainingConfig.from_dict(recipe(name, value))


@pytest.mark.parametrize(
    ("name", "least"), [(name, least) for least, names in COUNTS.items() for name in names]
)
def test_a_count_is_a_whole_number(name: str, least: int) -> None:
    for value in (*NO_COUNT, least - 1):
        unfit(name, value, "not_whole", least)
    TrainingConfig.from_dict(recipe(name, least))


@pytest.mark.parametrize("name", ["data.train_size", "data.valid_size", "data.max_pieces"])
@pytest.mark.parametrize("value", [*NO_COUNT, 0])
def test_a_size_is_a_whole_number(name: str, value: Any) -> None:
    unfit(name, value, "not_whole", 1)


@pytest.mark.parametrize(
    ("name", "ends", "values"),
    [
        ("optimizer.learning_rate", ("above", 0, "at_most", 1), (0, 1.1)),
        ("optimizer.final_ratio", (), (-0.1, 1.1)),
        ("optimizer.weight_decay", (), (-0.1, 1.1)),
        ("optimizer.clip_norm", ("at_least", 0), (-1,)),
        ("save_every", ("above", 0), (0, -1)),
        ("teacher_forcing.start", (), (-0.1, 1.1, "1")),
        ("optimizer.beta2", ("at_least", 0, "below", 1), (-0.1, 1)),
        ("optimizer.label_smoothing", ("at_least", 0, "below", 1), (-0.1, 1)),
        ("optimizer.average_decay", ("at_least", 0, "below", 1), (-0.1, 1)),
        ("data.casual_sources", (), (-0.1, 1.1)),
    ],
)
def test_a_number_has_a_range(name: str, ends: Refusal, values: tuple[float, ...]) -> None:
    for value in (*values, "0.5", None, True, float("nan")):
        unfit(name, value, *(("not_a_number_within", *ends) if ends else ("not_within", 0, 1)))


@pytest.mark.parametrize("name", ["optimizer.bf16", "data.swap"])
@pytest.mark.parametrize("value", ["yes", 1, None])
def test_a_switch_is_true_or_false(name: str, value: Any) -> None:
    unfit(name, value, "not_a_switch")


@pytest.mark.parametrize("name", ["name", "data.train", "data.valid", "data.source_language"])
@pytest.mark.parametrize("value", [3, None, ["x"]])
def test_a_setting_that_is_no_text_is_refused(name: str, value: Any) -> None:
    unfit(name, value, "not_a_text")


@pytest.mark.parametrize("value", ["letters", None, ["bpe"]])
def test_a_refused_choice_lists_the_alternatives(value: Any) -> None:
    unfit("tokenizer.kind", value, "not_one_of", "character, word, bpe, wordpiece, unigram")
    unfit("data.task", value, "not_one_of", f"translation, {', '.join(TASKS)}")
    unfit("optimizer.kind", value, "not_one_of", "adamw, adam, sgd")
    unfit("optimizer.schedule", value, "not_one_of", "cosine, linear, inverse_sqrt, constant")
    unfit("teacher_forcing.schedule", value, "not_one_of", "constant, linear, exponential, inverse_sigmoid")


@pytest.mark.parametrize("value", ["abc", None, 3, [1, 2], {"a": 1}])
def test_examples_are_texts(value: Any) -> None:
    with refused(ConfigError, "not_texts", "examples"):
        TrainingConfig.from_dict({"name": "x", "examples": value})


@pytest.mark.parametrize("value", ["encoder", None, ["decoder"], [["encoder"]], [3]])
def test_only_known_parts_can_be_frozen(value: Any) -> None:
    with refused(ConfigError, "not_a_list_of", "freeze", "embeddings, encoder"):
        TrainingConfig.from_dict({"name": "x", "freeze": value})


@pytest.mark.parametrize(
    ("data", "refusal"),
    [
        ({"options": {"longest": 99}}, ("data_options", "not_whole_within", 1, "99")),
        ({"options": {"digits": 3}}, ("data_options", "no_such_option", "digits")),
        ({"options": [3]}, ("options_no_mapping", "[3]")),
        (
            {"task": "translation", "train": "a", "valid": "b", "options": {"longest": 3}},
            ("options_without_task",),
        ),
    ],
)
def test_a_generated_task_has_its_own_options(data: dict[str, Any], refusal: Refusal) -> None:
    with refused(ConfigError, *refusal):
        TrainingConfig.from_dict({"name": "x", "data": data})


@pytest.mark.parametrize(
    ("settings", "refusal"),
    [
        ({"schedule": "linear", "start": 0.5, "end": 0.75}, ("teacher_forcing_rises", 0.5)),
        ({"schedule": "exponential", "end": 0}, ("teacher_forcing_reaches_zero",)),
    ],
)
def test_teacher_forcing_only_falls(settings: dict[str, Any], refusal: Refusal) -> None:
    with refused(ConfigError, *refusal):
        TrainingConfig.from_dict({"name": "x", "teacher_forcing": settings})


def test_a_translation_needs_its_files() -> None:
    with refused(ConfigError, "data_files_missing"):
        TrainingConfig.from_dict({"name": "x", "data": {"task": "translation", "train": "train.tsv"}})


def test_pairs_longer_than_the_positions_of_a_network_are_refused() -> None:
    network = {"architecture": "transformer", "max_positions": 64}
    with refused(ConfigError, "pieces_beyond_positions", 64, 100):
        TrainingConfig.from_dict({"name": "x", "network": network})


def test_an_impossible_network_is_refused() -> None:
    with refused(ConfigError, "not_one_of", "cell", "rnn, lstm, gru"):
        TrainingConfig.from_dict({"name": "x", "network": {"architecture": "recurrent", "cell": "x"}})


@pytest.mark.parametrize(
    ("data", "refusal"),
    [
        ({}, ("setting_missing", "the_configuration")),
        ({"name": "x", "epoch": 3}, ("no_such_setting_of_recipe", "the_configuration", "epoch")),
        (
            {"name": "x", "optimizer": {"lr": 1, "eps": 2}},
            ("no_such_setting_of_recipe", "optimizer", "eps, lr"),
        ),
        ({"name": "x", "data": "train.tsv"}, ("not_a_section", "data", "train.tsv")),
        ({"name": "x", "tokenizer": None}, ("not_a_section", "tokenizer", "None")),
        ({"name": "x", "network": None}, ("no_network",)),
        ([], ("not_a_section", "a_recipe", "[]")),
        (None, ("not_a_section", "a_recipe", "None")),
    ],
)
def test_a_recipe_of_another_shape_is_refused(data: Any, refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / "recipe.json").write_text(json.dumps(data))
    with refused(ConfigError, *refusal):
        TrainingConfig.load(tmp_path / "recipe.json")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe{}"])
def test_an_unreadable_recipe_is_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "recipe.json").write_bytes(content)
    with refused(ConfigError, "cannot_be_read", "recipe.json"):
        TrainingConfig.load(tmp_path / "recipe.json")


def test_a_missing_recipe_is_named(tmp_path: Path) -> None:
    with refused(ConfigError, "cannot_be_read", "nowhere.json", "No such file or directory"):
        TrainingConfig.load(tmp_path / "nowhere.json")

"""Every shipped checkpoint: what its card says is so, and it decodes its own examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from models.corpus.generated.tasks import reversal_pairs
from models.decoding.decode import decode, translate
from models.decoding.strategies import BeamSearch, Greedy
from models.evaluation.alignment import anti_diagonal_share
from models.registry.checkpoint import WEIGHTS
from models.registry.registry import Registry
from models.training.config import TrainingConfig

REGISTRY = Registry(Path(__file__).parents[1] / "checkpoints")
CPU = torch.device("cpu")
SHIPPED = ("reverse-gru", "spa-eng-gru")


def test_the_shipped_checkpoints_are_there() -> None:
    assert set(SHIPPED) <= set(REGISTRY.names())


@pytest.mark.parametrize("name", REGISTRY.names())
class TestEveryCheckpoint:
    def test_the_card_tells_its_true_size(self, name: str) -> None:
        card, checkpoint = REGISTRY.card(name), REGISTRY.load(name, CPU)
        assert card.parameters == checkpoint.model.num_parameters()
        assert card.bytes == (REGISTRY.root / name / WEIGHTS).stat().st_size
        assert card.metrics
        assert f"`python -m models.evaluation --checkpoint {name}" in card.body

    def test_it_is_small_enough_to_ship(self, name: str) -> None:
        files = [path for path in (REGISTRY.root / name).iterdir() if path.is_file()]
        assert sum(path.stat().st_size for path in files) <= 10_000_000

    def test_the_stored_example_is_what_the_model_says(self, name: str) -> None:
        stored, checkpoint = REGISTRY.example(name), REGISTRY.load(name, CPU)
        assert stored.source_text == checkpoint.config.examples[0]
        again = decode(
            checkpoint.model,
            checkpoint.tokenizer,
            stored.source_text,
            BeamSearch(4),
            max_length=checkpoint.config.max_length,
            checkpoint=name,
        )
        assert again.settings == stored.settings
        assert [x.text for x in again.hypotheses] == [x.text for x in stored.hypotheses]
        # Not to the last bit: processors add in different orders.
        assert [x.log_prob for x in again.hypotheses] == pytest.approx(
            [x.log_prob for x in stored.hypotheses], abs=1e-3
        )

    def test_its_recipe_describes_it(self, name: str) -> None:
        recipe = TrainingConfig.load(REGISTRY.root / name / "recipe.json")
        config = json.loads((REGISTRY.root / name / "config.json").read_text(encoding="utf-8"))
        assert recipe.name == name
        assert recipe.to_dict()["network"] == config["network"]


def test_reversal_is_exact_and_looks_at_the_mirror_position() -> None:
    import random

    checkpoint = REGISTRY.load("reverse-gru", CPU)
    pairs = reversal_pairs(500, random.Random(987))
    outputs = translate(
        checkpoint.model, checkpoint.tokenizer, [source for source, _ in pairs], Greedy(), max_length=32
    )
    exact = sum(output == mirror for output, (_, mirror) in zip(outputs, pairs, strict=True)) / len(pairs)
    assert exact >= 0.99
    traces = (
        decode(checkpoint.model, checkpoint.tokenizer, source, Greedy(), max_length=32)
        for source, _ in pairs[:100]
    )
    assert anti_diagonal_share(traces) >= 95


@pytest.mark.parametrize(
    ("spanish", "words"),
    [
        ("estoy muy emocionada", {"excited", "emotional", "thrilled"}),
        ("eres un imbécil", {"idiot", "jerk", "imbecile", "moron", "fool", "stupid"}),
        ("¿dónde está la biblioteca?", {"library"}),
    ],
)
def test_spanish_is_translated_sensibly(spanish: str, words: set[str]) -> None:
    checkpoint = REGISTRY.load("spa-eng-gru", CPU)
    for strategy in (Greedy(), BeamSearch(4)):
        [output] = translate(checkpoint.model, checkpoint.tokenizer, [spanish], strategy, max_length=60)
        assert words & set(output.lower().strip(".?!").split())

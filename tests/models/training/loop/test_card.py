"""The card of a trained checkpoint: its figures are the run's, and no name can break it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.registry.card import read_card
from models.registry.registry import Registry
from models.training.events import EvaluationCompleted
from models.training.loop.card import Outcome, card_text, data_description
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import DataConfig
from tests.fakes.training.small_run import CONFIG, CPU, run

pytestmark = pytest.mark.slow

BEST = EvaluationCompleted(step=40, loss=0.5, perplexity=1.6487, bleu=31.25, exact_match=62.5, best=True)
OUTCOME = Outcome(900, 100, 80, 12.5, "CPU", BEST, "There are only 20 sources.")


def card(tmp_path: Path, config: TrainingConfig, outcome: Outcome = OUTCOME) -> str:
    """The text of a card, written where `read_card` finds it."""
    folder = tmp_path / "run"
    run(replace(CONFIG, epochs=1), folder)
    checkpoint = Registry(folder).load("last", CPU)
    text = card_text(config, checkpoint, outcome, 1234)
    (folder / "last" / "README.md").write_text(text, encoding="utf-8")
    return text


def test_the_figures_are_those_of_the_run(tmp_path: Path) -> None:
    config = replace(CONFIG, decode_valid=50)
    text = card(tmp_path, config)
    read = read_card(tmp_path / "run" / "last")
    assert [(m.name, m.value, m.dataset) for m in read.metrics] == [
        ("exact match", 62.5, "50 validation pairs"),
        ("perplexity", 1.6487, "100 validation pairs"),
    ]
    assert read.bytes == 1234
    for part in (
        "900 pairs for training, 100",
        "There are only 20 sources.",
        "80 steps in 12 s on CPU",
        '"seed": 0',
    ):
        assert part in text.replace("\n", " ")


def test_translations_are_measured_by_bleu_and_exact_match(tmp_path: Path) -> None:
    data = DataConfig(task="translation", train="train.tsv", valid="valid.tsv", target_language="en")
    card(tmp_path, replace(CONFIG, data=data, decode_valid=500, max_length=20))
    read = read_card(tmp_path / "run" / "last")
    assert [(m.name, m.dataset) for m in read.metrics[:2]] == [
        ("BLEU", "100 validation pairs"),
        ("exact match", "100 validation pairs"),
    ]
    assert read.languages == ("en",)


def test_the_card_of_a_run_without_evaluation_states_that(tmp_path: Path) -> None:
    text = card(tmp_path, CONFIG, replace(OUTCOME, best=None))
    assert "None: the run ended before its first evaluation." in text
    assert read_card(tmp_path / "run" / "last").metrics == ()


@pytest.mark.parametrize(
    "name",
    [
        "<img src=x onerror=alert(1)>",
        "---\nlicense: mit\n---",
        "a: b # c",
        "```\n</script>",
        "'\"{}[]",
        "\u2028x",
    ],
)
def test_no_name_breaks_the_card(name: str, tmp_path: Path) -> None:
    config = replace(CONFIG, name=name, start=name, probe_source=name, examples=(name,))
    text = card(tmp_path, config)
    read = read_card(tmp_path / "run" / "last")
    assert read.licence == "other"
    line = " ".join(name.split())
    assert line in read.summary
    assert yaml.safe_load(text.split("---\n", 2)[1])["model-index"][0]["name"] == line
    before_recipe = read.body.split("```json")[0]
    assert "<img" not in before_recipe
    assert "</script>" not in before_recipe


@pytest.mark.parametrize(
    ("network", "text"),
    [
        (RecurrentConfig(), "bidirectional GRU, additive attention"),
        (RecurrentConfig(cell="lstm", bidirectional=False, attention="none"), "LSTM, no attention"),
        (RecurrentConfig(cell="rnn", context="concat", attention="scaled_dot"), "context at every step"),
        (TransformerConfig(num_layers=3, num_decoder_layers=2), "Transformer, 3 + 2 layers, 4 heads"),
    ],
)
def test_a_few_words_describe_a_network(network: NetworkConfig, text: str) -> None:
    assert text in network.description()


def test_a_few_words_describe_the_data() -> None:
    options = {"longest": 5}
    assert "longest 5" in data_description(replace(CONFIG, data=DataConfig(options=options)))

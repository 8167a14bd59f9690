"""The form computes the number of steps that the run takes, for any recipe."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demo.training.work.data_previews import preview
from demo.training.work.fields import FIELDS, MINUTES, fit_tokens, values_of
from demo.training.work.order import TrainingOrder
from demo.training.work.source import Prepared
from demo.training.work.workload import Epoch, Workload
from models.corpus import statistics
from models.corpus.generated.all_tasks import GENERATED
from models.corpus.pairs import DataError
from models.corpus.statistics import TokenLengths, corpus_statistics
from models.training.data.training_data import TrainingData, load_corpus
from models.training.recipe.config import learnt_tokenizer
from models.training.recipe.sections import TokenizerConfig
from tests.fakes.training.form import OPENING
from tests.refusals import refused

SPACES = (" ", "  ", "\u00a0", " \u3000")  # files of a run keep the first


def random_order(seed: int) -> TrainingOrder:
    """A recipe whose data, tokens and batches are drawn."""
    rng = random.Random(seed)
    words = ["ja", "nein", "vielleicht", "x" * 30, "né", "ne\u0301"]

    def text() -> str:
        return "".join(rng.choice(words) + rng.choice(SPACES) for _ in range(rng.randint(1, 9)))

    pairs = "\n".join(f"{text()}{index}\t{text()}" for index in range(rng.randint(12, 60)))
    data: dict[str, Any] = OPENING | {
        "kind": rng.choice(["paste", "generated"]),
        "text": pairs,
        "share": rng.choice([0.05, 0.3]),
        "task": rng.choice(list(GENERATED)),
    }
    settings: dict[str, Any] = {field.path: None for field in FIELDS} | dict(
        values_of(fit_tokens(MINUTES, "reversal"))
    )
    settings |= {
        "tokenizer.kind": rng.choice(["character", "word", "bpe"]),
        "tokenizer.vocab_size": 400,
        "data.train_size": rng.randint(50, 300),
        "data.valid_size": 10,
        "data.max_pieces": rng.choice([60, 100, 300]),
        "batch_tokens": rng.choice([64, 200, 1000]),
        "epochs": rng.randint(1, 4),
        "seed": seed,
    }
    return TrainingOrder.parse("drawn", "", data, settings)


def previewed(order: TrainingOrder) -> tuple[Any, Workload]:
    prepared = order.prepare(None)
    counted = corpus_statistics(prepared.train, valid=prepared.valid)
    config = order.config
    _, workload = preview(prepared, counted, config.tokenizer, None, config.data.max_pieces)
    return prepared, workload


@pytest.mark.parametrize("seed", range(12))
def test_an_estimate_is_the_number_of_steps_of_the_run(seed: int, tmp_path: Path) -> None:
    order = random_order(seed)
    prepared, workload = previewed(order)
    for name, text in order.files(prepared).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    config = order.config
    corpus = load_corpus(config.data, tmp_path, config.seed)
    tokenizer = learnt_tokenizer(config.tokenizer, corpus.train, config.network)
    data = TrainingData(config, corpus, tokenizer)
    batches = [batch for epoch in range(config.epochs) for batch in data.epoch(epoch)]
    promised = workload.epoch(config)
    assert promised.steps * config.epochs == len(batches)
    assert promised.target_tokens * config.epochs == sum(map(data.target_tokens, batches))


def test_an_even_sample_estimates_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    alike = tuple((f"ab {index}", f"cd {index}") for index in range(100, 140))
    prepared = Prepared(alike, alike, "40 pairs")

    def epoch() -> Epoch:
        counted = corpus_statistics(prepared.train)
        _, workload = preview(prepared, counted, TokenizerConfig(kind="character"), None, 100)
        return workload.epoch(replace(fit_tokens(MINUTES, "reversal"), batch_tokens=20))

    whole = epoch()
    monkeypatch.setattr(statistics, "MAX_TOKENIZED_PAIRS", 10)
    assert epoch() == whole


def test_an_estimate_without_a_short_enough_pair_is_refused() -> None:
    config = random_order(0).config
    with refused(DataError, "no_short_pair", config.data.max_pieces):
        Workload(TokenLengths((1000,), (3,), (0, 0))).epoch(config)

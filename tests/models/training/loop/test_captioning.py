"""Training on pictures: by the same loop as on texts, and refused where settings are about texts."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from models.corpus.generated.all_tasks import generate
from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.networks.captioner.config import CaptionerConfig
from models.networks.config import ConfigError
from models.registry.checkpoint import load_checkpoint
from models.registry.registry import Registry
from models.tokenization.tokenizer import Tokenizer
from models.training.data.training_data import encode_short_pairs
from models.training.events import EvaluationCompleted, ProbeDecoded, RunFinished
from models.training.recipe.config import TrainingConfig, learnt_tokenizer
from models.training.recipe.sections import DataConfig, TokenizerConfig
from tests.fakes.training.small_run import CONFIG, CPU, after, losses, run
from tests.refusals import Refusal, refused

pytestmark = pytest.mark.slow

NETWORK = CaptionerConfig(
    picture_size=64, cells=8, channels=4, d_embed=8, d_model=8, d_attention=8, dropout=0.1
)
PICTURES = TrainingConfig(
    name="tiny",
    data=DataConfig(task="shapes", train_size=40, valid_size=8, options={"shapes": 1}),
    tokenizer=TokenizerConfig(kind="word", vocab_size=50),
    network=NETWORK,
    optimizer=CONFIG.optimizer,
    epochs=2,
    batch_tokens=512,
    report_every=1,
    evaluate_every=4,
    decode_valid=4,
    max_length=8,
)


def test_a_captioner_is_trained_and_becomes_a_checkpoint(tmp_path: Path) -> None:
    events = run(PICTURES, tmp_path)
    assert isinstance(events[-1], RunFinished)
    assert len(losses(events)) == 10  # 40 pictures, 8 at once: 64 cells each
    assert any(isinstance(event, EvaluationCompleted) and event.exact_match is not None for event in events)
    probe = next(event for event in events if isinstance(event, ProbeDecoded))
    assert len(probe.source) == 64
    checkpoint = load_checkpoint(tmp_path / "best", CPU)
    trace = decode(
        checkpoint.model,
        checkpoint.tokenizer,
        checkpoint.config.examples[0],
        DecodingOptions("greedy", max_length=8),
    )
    assert Registry(tmp_path).example("best").source_text == trace.source_text
    assert "CNN, GRU, additive attention over 8 x 8 cells" in Registry(tmp_path).card("best").body


def test_a_stopped_captioner_resumes_like_the_uninterrupted_run(tmp_path: Path) -> None:
    whole = losses(run(PICTURES, tmp_path / "whole"))
    parts = losses(run(PICTURES, tmp_path / "parts", should_stop=after(3)))
    assert len(parts) == 3
    assert parts + losses(run(PICTURES, tmp_path / "parts", resume=True)) == whole


def test_a_captioner_is_fine_tuned(tmp_path: Path) -> None:
    run(PICTURES, tmp_path / "base")
    tuning = replace(PICTURES, start="base", epochs=1, freeze=("encoder",))
    events = run(tuning, tmp_path / "tuned", start=tmp_path / "base" / "best")
    assert isinstance(events[-1], RunFinished)
    before, tuned = (load_checkpoint(tmp_path / name / "best", CPU) for name in ("base", "tuned"))
    old, new = before.model.state_dict(), tuned.model.state_dict()
    changed = {name for name in old if not torch.equal(old[name], new[name])}
    assert changed
    assert not {name for name in changed if name.startswith("encoder.")}


def test_a_captioner_cannot_be_tuned_on_texts(tmp_path: Path) -> None:
    run(PICTURES, tmp_path / "base")
    with refused(ConfigError, "network_for_pictures", "captioner"):
        run(replace(CONFIG, start="base"), tmp_path / "tuned", start=tmp_path / "base" / "best")


def test_pictures_are_unpacked_on_demand() -> None:
    pairs = generate("shapes", 5, random.Random(0))
    tokenizer = learnt_tokenizer(TokenizerConfig(kind="word"), pairs, NETWORK)
    encoded = encode_short_pairs(tokenizer, pairs, 100)
    assert encoded.source_lengths == [64] * 5
    assert not isinstance(encoded.sources, list)
    assert [list(ids) for ids in encoded.sources] == [list(tokenizer.encode(text).ids) for text, _ in pairs]


def test_long_captions_are_left_out() -> None:
    pairs = generate("shapes", 60, random.Random(0))
    tokenizer = learnt_tokenizer(
        TokenizerConfig(kind="word"), pairs, CaptionerConfig(picture_size=64, cells=2)
    )
    encoded = encode_short_pairs(tokenizer, pairs, 5)
    assert 0 < len(encoded.pairs) < 60
    assert all(len(caption.split()) == 4 for _, caption in encoded.pairs)
    assert len(encoded.sources) == len(encoded.pairs)


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"network": CONFIG.network}, ("network_for_pictures", "captioner")),
        ({"network": CaptionerConfig(picture_size=32, cells=8)}, ("picture_size_not_drawn", 64, 32)),
        ({"tokenizer": TokenizerConfig(kind="word", lowercase=True)}, ("settings_for_texts",)),
        ({"tokenizer": TokenizerConfig(kind="word", target_kind="character")}, ("settings_for_texts",)),
        ({"data": replace(PICTURES.data, casual_sources=0.1)}, ("settings_for_texts",)),
    ],
)
def test_settings_that_do_not_fit_pictures_are_refused(changes: dict[str, Any], refusal: Refusal) -> None:
    with refused(ConfigError, *refusal):
        replace(PICTURES, **changes)


def test_more_cells_than_can_be_decoded_are_refused_before_anything_is_trained() -> None:
    with refused(ConfigError, "too_many_cells", 22, 32):
        CaptionerConfig(picture_size=64, cells=32)


def test_a_captioner_is_refused_for_texts() -> None:
    with refused(ConfigError, "network_for_pictures", "captioner"):
        replace(CONFIG, network=NETWORK)
    assert Tokenizer.train(["abc"], "character").picture is None

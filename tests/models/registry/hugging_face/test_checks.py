"""Files that do not fit each other: each fault is named, and weights that are stored apart are kept apart."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor
from transformers import AutoTokenizer, T5ForConditionalGeneration

from models.registry.card import CheckpointError
from models.registry.hugging_face.files import adopt
from models.registry.registry import Registry
from tests.fakes.hugging_face.folders import DECODER_S, save_repository, settings_of, weights_of
from tests.refusals import Refusal, refused

pytestmark = pytest.mark.slow

CPU = torch.device("cpu")
Change = Callable[[Path], object]
BY_FAMILY = {"t5": "shared.weight", "bart": "model.shared.weight", "marian": "model.shared.weight"}


def no_number(weights: dict[str, Tensor]) -> Mapping[str, Tensor]:
    name = max(weights)
    return weights | {name: torch.full_like(weights[name], torch.nan)}


def larger_tokenizer(files: Path) -> None:
    theirs = AutoTokenizer.from_pretrained(files)
    theirs.add_tokens(["COVID"])
    theirs.save_pretrained(files)


def without_files(*names: str) -> Change:
    return lambda files: [(files / name).unlink() for name in names]


def with_settings(**settings: object) -> Change:
    return lambda files: settings_of(files, **settings)


def inflating(files: Path) -> None:
    path = files / "tokenizer.json"
    stored = json.loads(path.read_text())
    grows = {"type": "Replace", "pattern": {"String": "q"}, "content": "q" * 60}
    stored["normalizer"] = {"type": "Sequence", "normalizers": [grows, grows]}
    path.write_text(json.dumps(stored))


BROKEN: dict[str, tuple[str, Change, Refusal]] = {
    "not a number": (
        "t5",
        lambda files: weights_of(files, no_number),
        ("weight_not_finite", "shared.weight"),
    ),
    "not tied": (
        "bart",
        with_settings(tie_word_embeddings=False),
        ("weights_not_tied", "tie_word_embeddings"),
    ),
    "not shared": (
        "marian",
        with_settings(share_encoder_decoder_embeddings=False),
        ("weights_not_tied", "share_encoder_decoder_embeddings"),
    ),
    "more words": (
        "t5",
        with_settings(vocab_size=400),
        ("weights_of_another_size", "shared.weight", "400 × 16"),
    ),
    "fewer words": (
        "t5",
        with_settings(vocab_size=30),
        ("weights_of_another_size", "shared.weight", "30 × 16"),
    ),
    "more layers": ("bart", with_settings(decoder_layers=3), ("weights_lacking",)),
    "no vocabulary": ("marian", without_files("vocab.json"), ("tokenizer_incomplete", "vocab.json")),
    "no pieces": ("marian", without_files("target.spm"), ("tokenizer_incomplete", "target.spm")),
    "no model": (
        "m2m100",
        without_files("sentencepiece.bpe.model"),
        ("tokenizer_incomplete", "sentencepiece.bpe.model"),
    ),
    "larger tokenizer": ("t5", larger_tokenizer, ("tokenizer_too_large", "'COVID'")),
    "larger slow tokenizer": ("marian", larger_tokenizer, ("tokenizer_too_large", "'COVID'")),
    "inflating tokenizer": ("t5", inflating, ("tokenizer_inflates",)),
    "padding": ("bart", with_settings(pad_token_id=5000), ("number_too_large", "pad_token_id", "5000")),
    "start": (
        "t5",
        with_settings(decoder_start_token_id=54),
        ("number_too_large", "decoder_start_token_id", "54"),
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_each_fault_is_named(fault: str, tmp_path: Path) -> None:
    family, change, refusal = BROKEN[fault]
    files = tmp_path / "it" / "transformers"
    save_repository(files, family)
    change(files)
    with refused(CheckpointError, *refusal):
        adopt(tmp_path / "it")
    assert not (tmp_path / "it" / "config.json").exists()


@pytest.mark.parametrize("family", BY_FAMILY)
def test_an_output_layer_that_is_stored_beside_other_embeddings_is_kept(family: str, tmp_path: Path) -> None:
    """A flag of such models says that both are tied (transformers, issue 45005)."""
    files = tmp_path / "it" / "transformers"
    save_repository(files, family)
    shared = load_file(files / "model.safetensors")[BY_FAMILY[family]]
    head = torch.randn(shared.shape)
    weights_of(files, lambda weights: weights | {"lm_head.weight": head})
    adopt(tmp_path / "it")
    model: Any = Registry(tmp_path).load("it", CPU).model
    assert torch.equal(model.library_model.get_output_embeddings().weight, head)
    for half in (model.library_model.get_encoder(), model.library_model.get_decoder()):
        assert torch.equal(half.get_input_embeddings().weight, shared)


def test_an_embedding_stored_under_the_decoder_serves_both_halves(tmp_path: Path) -> None:
    """The embedding of MADLAD is stored in this way (transformers, issue 48154)."""
    save_repository(tmp_path / "it" / "transformers", "madlad")
    stored = load_file(tmp_path / "it" / "transformers" / "model.safetensors")
    adopt(tmp_path / "it")
    model: Any = Registry(tmp_path).load("it", CPU).model
    assert not torch.equal(stored[DECODER_S], stored["lm_head.weight"])
    for half in (model.library_model.get_encoder(), model.library_model.get_decoder()):
        assert torch.equal(half.get_input_embeddings().weight, stored[DECODER_S])


def test_weights_that_the_library_replaces_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions before 5.16 read every embedding of a T5 with such a flag from one place."""
    files = tmp_path / "it" / "transformers"
    save_repository(files, "t5")
    weights_of(files, lambda weights: weights | {"lm_head.weight": torch.randn(54, 16)})

    def tie(self: Any, missing_keys: set[str] | None = None, recompute_mapping: bool = True) -> None:
        self.lm_head.weight = self.shared.weight
        self.encoder.embed_tokens = self.decoder.embed_tokens = self.shared
        names = ("encoder.embed_tokens.weight", DECODER_S)
        (missing_keys or set()).difference_update(names)

    monkeypatch.setattr(T5ForConditionalGeneration, "tie_weights", tie)
    with refused(CheckpointError, "weights_replaced", "lm_head.weight"):
        adopt(tmp_path / "it")


def test_a_folder_of_the_library_is_no_checkpoint_yet(tmp_path: Path) -> None:
    save_repository(tmp_path / "raw", "t5")
    with refused(CheckpointError, "raw_library_folder", "adopt_folder"):
        Registry(tmp_path).load("raw", CPU)


def test_a_mask_that_the_network_does_not_read_is_no_fault(tmp_path: Path) -> None:
    """A summarising BART has a mask token that cannot be typed."""
    files = tmp_path / "it" / "transformers"
    save_repository(files, "bart")
    theirs = AutoTokenizer.from_pretrained(files)
    theirs.add_tokens(["<later mask>"], special_tokens=True)
    theirs.save_pretrained(files)
    adopt(tmp_path / "it")
    assert Registry(tmp_path).tokenizer("it").encode("el <later mask>").ids

"""Folders of the transformers library that strangers made: what is refused, and what is tolerated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from models.registry.card import CheckpointError
from models.registry.hugging_face.files import adopt
from models.registry.registry import Registry
from tests.fakes.hugging_face.folders import save_repository, settings_of
from tests.refusals import refused

pytestmark = pytest.mark.slow

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    "tasks",
    [
        *(
            [1],
            "x",
            {"a": 5},
            {"a": {"prefix": 5}},
            {"a": {"prefix": "x" * 5000}},
            {"x" * 5000: {"prefix": "x"}},
        ),
        *(
            {"\ud800": {"prefix": "x"}},
            {"a": {"prefix": "\ud800"}},
            {"plain": {"prefix": "x"}},
            {"": {"prefix": "x"}},
        ),
    ],
)
def test_invalid_tasks_are_left_out_or_refused(tmp_path: Path, tasks: object) -> None:
    files = tmp_path / "it" / "transformers"
    save_repository(files, "t5")
    settings_of(files, task_specific_params=tasks)
    try:
        adopt(tmp_path / "it")
    except CheckpointError:  # the library refuses the settings
        return
    tasks = Registry(tmp_path).config("it").network["variants"]["tasks"]
    assert tasks == [["plain", ""], ["special_tokens", ""]]
    assert Registry(tmp_path).tokenizer("it").encode("el").ids


@pytest.mark.parametrize("size", [10**9, 1e300])
@pytest.mark.parametrize(
    ("family", "name"),
    [
        *(("marian", "decoder_layers"), ("marian", "d_model"), ("marian", "max_position_embeddings")),
        *(("t5", "num_layers"), ("t5", "d_ff"), ("t5", "num_heads"), ("nllb", "encoder_ffn_dim")),
        ("t5", "num_labels"),
    ],
)
def test_a_network_of_an_absurd_size_is_never_built(
    tmp_path: Path, family: str, name: str, size: float
) -> None:
    files = tmp_path / "it" / "transformers"
    save_repository(files, family)
    for changes in ({name: size}, {"decoder": {name: size}}):
        settings_of(files, **changes)
        with refused(CheckpointError, "number_too_large", name):
            adopt(tmp_path / "it")


@pytest.mark.parametrize("part", ["decoder.block.0", "shared", "encoder.final_layer_norm"])
def test_a_network_that_lacks_weights_is_refused(tmp_path: Path, part: str) -> None:
    """The library would draw them at random, as for an encoder that somebody took from a T5."""
    files = tmp_path / "it" / "transformers"
    save_repository(files, "t5")
    weights = load_file(files / "model.safetensors")
    remaining = {name: tensor for name, tensor in weights.items() if part not in name}
    assert len(remaining) < len(weights)
    save_file(remaining, files / "model.safetensors", metadata={"format": "pt"})
    with refused(
        CheckpointError, "checkpoint_unusable", "transformers", "weights_lacking", "choose_text_to_text"
    ):
        adopt(tmp_path / "it")


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    files = tmp_path / "it" / "transformers"
    save_repository(files, "bart")
    config = json.loads((files / "config.json").read_text())
    for model_type in ("bert", "gpt2", "no-such-family"):
        (files / "config.json").write_text(json.dumps(config | {"model_type": model_type}))
        with refused(CheckpointError, "choose_text_to_text"):
            adopt(tmp_path / "it")
    assert not (tmp_path / "it" / "config.json").exists()


@pytest.mark.parametrize(
    "file", ["model.safetensors", "tokenizer.json", "generation_config.json", "config.json"]
)
@pytest.mark.parametrize("content", [b"", b"{", b"null", None, "another"])
def test_a_damaged_file_is_named(tmp_path: Path, file: str, content: bytes | str | None) -> None:
    files = tmp_path / "it" / "transformers"
    save_repository(files, "t5")
    adopt(tmp_path / "it")
    if content is None:
        (files / file).unlink()
    else:
        before = (files / file).read_bytes()
        (files / file).write_bytes(before[:-2] + b" }" if isinstance(content, str) else content)
    with refused(CheckpointError, "checkpoint_unusable", "it", file):
        Registry(tmp_path).load("it", CPU)


def test_a_repository_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    files = tmp_path / "it" / "transformers"
    save_repository(files, "t5")
    for file in files.glob("*token*"):
        file.unlink()
    with refused(CheckpointError, "no_tokenizer"):
        adopt(tmp_path / "it")


def test_code_of_a_repository_is_never_run(tmp_path: Path) -> None:
    files = tmp_path / "it" / "transformers"
    save_repository(files, "t5")
    ran = tmp_path / "ran"
    (files / "evil.py").write_text(f"open({str(ran)!r}, 'w')\nclass C: pass\n")
    config = json.loads((files / "config.json").read_text())
    mapped = {"AutoConfig": "evil.C", "AutoModelForSeq2SeqLM": "evil.C", "AutoTokenizer": ["evil.C", None]}
    (files / "config.json").write_text(json.dumps(config | {"auto_map": mapped}))
    adopt(tmp_path / "it")
    Registry(tmp_path).load("it", CPU)
    assert not ran.exists()

"""Two small checkpoints with random weights, since tests of the page need no trained network."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import torch

from demo.work.context import AppContext
from demo.work.watch import Watch
from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.networks.architectures import build_model, network_dict
from models.networks.recurrent.config import RecurrentConfig
from models.registry.checkpoint import Checkpoint, CheckpointConfig, save_checkpoint
from models.registry.registry import EXAMPLE, Registry
from models.tokenization.tokenizer import Tokenizer

# A busy machine may need longer for an answer than the five seconds that httpx waits.
vars(httpx._config.DEFAULT_TIMEOUT_CONFIG).update(connect=None, read=None, write=None, pool=None)

LETTERS, WORDS = "letters", "words"
TEXTS = ("hola amigo", "buenos días", "hasta luego")

CARD = {
    "language": ["es", "en"],
    "license": "apache-2.0",
    "model-index": [
        {
            "results": [
                {"dataset": {"name": "strings"}, "metrics": [{"name": "exact match", "value": 99.5}]},
                {"dataset": {"name": "sentences"}, "metrics": [{"name": "BLEU", "value": 33.4}]},
            ]
        }
    ],
    "unrolled": {
        "summary": "Says nothing in particular.",
        "task": "Nothing",
        "architecture": "GRU, additive attention",
        "data": "Three greetings",
        "parameters": 12_345,
        "bytes": 24_690,
    },
}


def make_checkpoint(root: Path, name: str, kind: str) -> None:
    """A folder as `checkpoints/` has them."""
    tokenizer = Tokenizer.train(TEXTS, kind, vocab_size=60)
    network = RecurrentConfig(d_embed=8, d_model=8, d_attention=8)
    torch.manual_seed(len(name))
    config = CheckpointConfig(
        network=network_dict(network),
        vocab_size=tokenizer.vocab_size,
        task="translation",
        source_language="es",
        target_language="en",
        examples=TEXTS,
        max_length=12,
    )
    model = build_model(network, tokenizer.vocab_size, Tokenizer.pad_id)
    save_checkpoint(root / name, Checkpoint(name, config, tokenizer, model))
    # JSON is YAML.
    (root / name / "README.md").write_text(
        f"---\n{json.dumps(CARD)}\n---\n# About {name}\n", encoding="utf-8"
    )
    checkpoint = Registry(root).load(name, torch.device("cpu"))
    trace = decode(
        checkpoint.model, checkpoint.tokenizer, TEXTS[0], DecodingOptions(beam_size=4, max_length=12)
    )
    (root / name / EXAMPLE).write_text(replace(trace, checkpoint=name).to_json(), encoding="utf-8")


@pytest.fixture(scope="package", autouse=True)
def no_deadline() -> Iterator[None]:
    """Work may take as long as a busy machine needs; tests of the deadline set one."""
    _, *others = Watch.__init__.__defaults__ or ()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Watch.__init__, "__defaults__", (math.inf, *others))
        yield


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two checkpoints, which tests only read."""
    root = tmp_path_factory.mktemp("checkpoints")
    make_checkpoint(root, LETTERS, "character")
    make_checkpoint(root, WORDS, "word")
    return root


@pytest.fixture
def root(shipped: Path, tmp_path: Path) -> Path:
    """A copy of the two checkpoints that a test may damage."""
    return Path(shutil.copytree(shipped, tmp_path / "checkpoints"))


@pytest.fixture
def context(root: Path) -> AppContext:
    return AppContext(Registry(root), "cpu")

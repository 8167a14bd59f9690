"""A saved checkpoint to read, and to damage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from models.networks.architectures import network_dict
from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.registry.checkpoint import Checkpoint, CheckpointConfig, save_checkpoint
from models.tokenization.tokenizer import Tokenizer
from tests.fakes.tiny_networks import VOCAB_SIZE, tiny_model

TIED = RecurrentConfig(d_embed=6, d_model=8, d_attention=5, share_embeddings=True, tie_output=True)
CARD = """---
license: mit
language: [es, en]
model-index:
- name: tiny
  results:
  - dataset: {name: twelve strings, type: generated}
    metrics:
    - {name: exact match, type: accuracy, value: 99.5}
unrolled:
  summary: Turns strings around.
  task: reversal
  architecture: bidirectional GRU, additive attention
  data: generated
  parameters: 1234
  bytes: 2468
---

# Tiny

Text.
"""


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.train(["abcdefghi"], "character", vocab_size=VOCAB_SIZE)
    assert tokenizer.vocab_size == VOCAB_SIZE
    return tokenizer


@pytest.fixture
def make(tokenizer: Tokenizer) -> Callable[..., Checkpoint]:
    """A checkpoint with random weights for any network."""

    def build(network: NetworkConfig = TIED, name: str = "tiny") -> Checkpoint:
        config = CheckpointConfig(
            network=network_dict(network),
            vocab_size=VOCAB_SIZE,
            task="reversal",
            source_language="",
            target_language="",
            examples=("abc",),
        )
        return Checkpoint(name, config, tokenizer, tiny_model(network).float())

    return build


@pytest.fixture
def root(tmp_path: Path, make: Callable[..., Checkpoint]) -> Path:
    """A folder of two checkpoints with cards."""
    for name in ("reverse-gru", "spa-eng-gru"):
        save_checkpoint(tmp_path / name, make(name=name))
        (tmp_path / name / "README.md").write_text(CARD, encoding="utf-8")
    return tmp_path


@pytest.fixture
def folder(root: Path) -> Path:
    """One of the two checkpoints."""
    return root / "reverse-gru"

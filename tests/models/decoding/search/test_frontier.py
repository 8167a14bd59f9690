"""The memory of the prefixes that wait in a depth-first search."""

from __future__ import annotations

import gc

import pytest
import torch
from torch import Tensor

from models.decoding.search.constraints import MinLength
from models.decoding.search.loop import search
from models.decoding.search.step import SearchConditions
from models.decoding.strategies.exact import ExactSearch
from models.networks.architectures import build_model
from models.networks.base import Seq2SeqModel
from models.networks.transformer.config import TransformerConfig
from tests.fakes.tiny_networks import BOS, EOS, PAD

WIDTH, LAYERS, LENGTH, SOURCE = 32, 2, 48, 24
FLOAT = 4  # bytes


@pytest.fixture
def model() -> Seq2SeqModel:
    torch.manual_seed(0)
    config = TransformerConfig(d_model=WIDTH, num_heads=2, d_ff=32, num_layers=1, num_decoder_layers=LAYERS)
    return build_model(config, vocab_size=64, pad_id=PAD).eval()


def live_bytes() -> int:
    """The memory of all tensors, with shared storages counted once."""
    tensors = (result for result in gc.get_objects() if type(result) is Tensor)
    storages = (tensor.untyped_storage() for tensor in tensors)
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())


@pytest.mark.full
def test_rows_on_the_stack_hold_no_decoder_state(model: Seq2SeqModel) -> None:
    src = torch.randint(4, 64, (1, SOURCE))
    with torch.inference_mode():
        encoded = model.encode(src, torch.ones_like(src, dtype=torch.bool))
    constraints = (MinLength(LENGTH, EOS),)
    conditions = SearchConditions(BOS, EOS, LENGTH, constraints)
    before, peak, deepest = live_bytes(), 0, 0
    rng = torch.Generator().manual_seed(0)
    for step in search(model, encoded, ExactSearch(2_000), conditions, rng):
        if step.length > deepest:
            peak, deepest = max(peak, live_bytes() - before), step.length
    assert deepest == LENGTH - 1
    # Bytes of keys and values of every layer, for all rows.
    position = ExactSearch.width * 2 * LAYERS * WIDTH * FLOAT
    state = LENGTH * position
    history = 2 * ExactSearch.width * LENGTH * 8  # bytes of a step's tokens and parent rows
    # The source, what each step added, and the whole states of the last step and the next.
    assert peak < SOURCE * position + LENGTH * (position + history) + 3 * state
    assert peak < LENGTH * state / 4  # states grow: one for each step would take half of LENGTH * state

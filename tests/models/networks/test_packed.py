"""Packed linear layers: the same products, faster, for decoding alone."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from models.networks import packed
from models.networks.config import NetworkConfig
from models.networks.packed import PackedLinear, can_pack, memory_bytes, pack_linears
from tests.models.networks.tiny import SAMPLE, tiny_batch, tiny_model


@pytest.mark.parametrize("config", SAMPLE.values(), ids=SAMPLE)
@torch.inference_mode()
def test_a_checkpoint_decodes_the_same_when_packed(config: NetworkConfig) -> None:
    """Its weights come from half precision, so that packing them rounds nothing."""
    model, batch = tiny_model(config).half().float(), tiny_batch()
    expected = model(batch)
    pack_linears(model)
    torch.testing.assert_close(model(batch), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("config", SAMPLE.values(), ids=SAMPLE)
def test_every_linear_layer_is_packed_where_the_processor_can(config: NetworkConfig) -> None:
    model = tiny_model(config).float()
    count = sum(isinstance(module, nn.Linear) for module in model.modules())
    pack_linears(model)
    left = sum(isinstance(module, nn.Linear) for module in model.modules())
    done = sum(isinstance(module, PackedLinear) for module in model.modules())
    assert (left, done) == ((0, count) if can_pack() else (count, 0))


def test_elsewhere_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "can_pack", lambda: False)
    model = tiny_model(SAMPLE["gru-1-bi-initial-additive"]).float()
    pack_linears(model)
    assert isinstance(model.output, nn.Linear)


def test_packed_layers_take_half_the_memory() -> None:
    layer = nn.Sequential(nn.Linear(64, 32, bias=False))
    before = memory_bytes(layer)
    pack_linears(layer)
    assert before == 4 * 64 * 32
    assert memory_bytes(layer) == (before // 2 if can_pack() else before)

"""Value zeroing equals a network in which all attention to one token reads zero values."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from models.inspection.methods import attribute
from models.inspection.question import ExplainedPrediction, Question
from models.networks.config import NetworkConfig
from models.networks.transformer.config import TransformerConfig
from models.networks.transformer.layers import DecoderLayer, EncoderLayer
from models.networks.transformer.model import TransformerModel
from tests.fakes.tiny_networks import BOS, EOS, NETWORKS, SAMPLE, each_network, tiny_model

QUESTION = Question((5, 6, 7, 8, EOS), (BOS, 12, 11), 10)


class WithoutValues(nn.Module):
    """A projection whose values are 0 for one token."""

    def __init__(self, layer: nn.Module, token: int, width: int) -> None:
        super().__init__()
        self.layer, self.token, self.width = layer, token, width

    def forward(self, x: Tensor) -> Tensor:
        projected: Tensor = self.layer(x).clone()
        projected[:, self.token, -self.width :] = 0
        return projected


def with_zero_values(
    model: TransformerModel, width: int, source: int | None, prefix: int | None
) -> TransformerModel:
    """A new network in which one token has zero values."""
    fresh = copy.deepcopy(model)
    for layer in (*fresh.encoder, *fresh.decoder):
        assert isinstance(layer, EncoderLayer | DecoderLayer)
        attention, token = layer.self_attention, source if isinstance(layer, EncoderLayer) else prefix
        if token is not None:
            attention.query_key_value = WithoutValues(attention.query_key_value, token, width)  # type: ignore[assignment]
        if isinstance(layer, DecoderLayer) and source is not None:
            cross = layer.cross_attention
            cross.key_value = WithoutValues(cross.key_value, source, width)  # type: ignore[assignment]
    return fresh


@each_network({name: config for name, config in NETWORKS.items() if isinstance(config, TransformerConfig)})
def test_value_zeroing_equals_removing_the_values_by_hand(config: TransformerConfig) -> None:
    model = tiny_model(config)
    assert isinstance(model, TransformerModel)
    value, result = attribute(model, QUESTION, ["value_zeroing"])
    scores = result["value_zeroing"]
    assert scores.prefix is not None
    for token, cost in enumerate(scores.source):
        fresh = with_zero_values(model, config.d_model, token, None)
        assert cost == pytest.approx(value - ExplainedPrediction(fresh, QUESTION).value, abs=1e-9)
    for token, cost in enumerate(scores.prefix):
        fresh = with_zero_values(model, config.d_model, None, token)
        assert cost == pytest.approx(value - ExplainedPrediction(fresh, QUESTION).value, abs=1e-9)


@each_network(SAMPLE)
def test_value_zeroing_applies_to_transformers(config: NetworkConfig) -> None:
    result = attribute(tiny_model(config), QUESTION, ["value_zeroing"])[1]
    assert ("value_zeroing" in result) == isinstance(config, TransformerConfig)


def test_a_long_text_takes_several_passes() -> None:
    config = SAMPLE["transformer-post-gelu"]
    assert isinstance(config, TransformerConfig)
    torch.manual_seed(0)
    model = TransformerModel(replace(config, max_positions=128), vocab_size=13, pad_id=0).double().eval()
    question = Question((5,) * 79 + (EOS,), (BOS, 12, 11), 10)
    value, result = attribute(model, question, ["value_zeroing"])
    assert len(result["value_zeroing"].source) == 80
    fresh = with_zero_values(model, config.d_model, 75, None)
    assert result["value_zeroing"].source[75] == pytest.approx(
        value - ExplainedPrediction(fresh, question).value, abs=1e-9
    )

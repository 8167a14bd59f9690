"""Descriptions of networks: what is accepted, and how the rest is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from models.networks.config import (
    ConfigError,
    NetworkConfig,
    RecurrentConfig,
    TransformerConfig,
    build_model,
    network_config,
    network_dict,
)
from models.networks.recurrent import RecurrentModel
from models.networks.transformer import TransformerModel
from tests.models.networks.tiny import NETWORKS, PAD, VOCAB_SIZE

NOT_A_SIZE = (0, -1, 2.0, "8", None, True)
NOT_A_PROBABILITY = (-0.1, 1, 1.5, "0.1", None, float("nan"))


@pytest.mark.parametrize("config", NETWORKS.values(), ids=NETWORKS)
def test_a_description_survives_json(config: NetworkConfig) -> None:
    assert network_config(json.loads(json.dumps(network_dict(config)))) == config


@pytest.mark.parametrize("architecture", ["recurrent", "transformer"])
def test_what_is_absent_has_its_default(architecture: str) -> None:
    default = {"recurrent": RecurrentConfig(), "transformer": TransformerConfig()}[architecture]
    assert network_config({"architecture": architecture}) == default


def test_each_architecture_is_built() -> None:
    assert isinstance(build_model(NETWORKS["rnn-1-uni-initial-none"], VOCAB_SIZE, PAD), RecurrentModel)
    assert isinstance(build_model(NETWORKS["transformer-pre-relu"], VOCAB_SIZE, PAD), TransformerModel)


@pytest.mark.parametrize("name", ["d_embed", "d_model", "num_layers", "d_attention"])
@pytest.mark.parametrize("value", NOT_A_SIZE)
def test_a_recurrent_size_is_a_whole_number(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"{name} must be a whole number of at least 1; got "):
        RecurrentConfig(**{name: value})


@pytest.mark.parametrize(
    "name", ["d_model", "num_heads", "d_ff", "num_layers", "num_decoder_layers", "max_positions"]
)
@pytest.mark.parametrize("value", NOT_A_SIZE)
def test_a_transformer_size_is_a_whole_number(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"{name} must be a whole number of at least 1; got "):
        TransformerConfig(**{name: value})


@pytest.mark.parametrize("kind", [RecurrentConfig, TransformerConfig])
@pytest.mark.parametrize("value", NOT_A_PROBABILITY)
def test_dropout_is_a_probability_below_one(kind: type[NetworkConfig], value: Any) -> None:
    with pytest.raises(ConfigError, match="dropout must be at least 0 and below 1; got "):
        kind(dropout=value)


@pytest.mark.parametrize(
    ("architecture", "name", "allowed"),
    [
        ("recurrent", "cell", "rnn, lstm, gru"),
        ("recurrent", "context", "initial, concat"),
        ("recurrent", "attention", "none, additive, dot, scaled_dot, general"),
        ("transformer", "activation", "relu, gelu, swish"),
    ],
)
@pytest.mark.parametrize("value", ["GRU", "", None, 3, ["gru"]])
def test_a_choice_lists_what_there_is(architecture: str, name: str, allowed: str, value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        network_config({"architecture": architecture, name: value})
    assert f"{name} must be one of {allowed}; got {value!r}" in str(caught.value)


@pytest.mark.parametrize(
    ("architecture", "name"),
    [
        *(("recurrent", name) for name in ("bidirectional", "share_embeddings", "tie_output")),
        *(("transformer", name) for name in ("pre_norm", "share_embeddings", "tie_output")),
    ],
)
@pytest.mark.parametrize("value", ["yes", "false", 1, None])
def test_a_switch_is_true_or_false(architecture: str, name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"{name} must be true or false; got "):
        network_config({"architecture": architecture, name: value})


def test_two_directions_need_an_even_width() -> None:
    with pytest.raises(ConfigError, match="d_model must be even for a bidirectional encoder; got 7"):
        RecurrentConfig(d_model=7)
    assert RecurrentConfig(d_model=7, bidirectional=False).d_model == 7


def test_heads_divide_the_width() -> None:
    with pytest.raises(ConfigError, match="d_model must be a multiple of num_heads; got 8, 3"):
        TransformerConfig(d_model=8, num_heads=3)


def test_sines_and_cosines_need_an_even_width() -> None:
    with pytest.raises(ConfigError, match=r"d_model must be even.*got 9"):
        TransformerConfig(d_model=9, num_heads=3)


@pytest.mark.parametrize(
    "data", [{}, {"architecture": "rnn"}, {"architecture": None}, {"architecture": ["x"]}]
)
def test_an_unknown_architecture_is_told_what_there_is(data: dict[str, Any]) -> None:
    with pytest.raises(
        ConfigError, match="architecture must be one of recurrent, transformer, captioner; got "
    ):
        network_config(data)


def test_an_unknown_setting_is_named() -> None:
    with pytest.raises(ConfigError, match="a recurrent network has no setting heads, width"):
        network_config({"architecture": "recurrent", "width": 3, "heads": 2})


@pytest.mark.parametrize("data", [None, 5, "recurrent", ["architecture"], [1, 2]])
def test_what_is_no_mapping_is_refused(data: Any) -> None:
    with pytest.raises(ConfigError, match="network must be a mapping"):
        network_config(data)

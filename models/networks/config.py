"""Descriptions of networks as plain numbers, and the one function that builds from them.

Imports no torch until it builds, so that a form can be filled in before anything heavy is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from models.networks.base import Seq2SeqModel

MAX_CELLS = 512  # of a picture: as many as a source may have tokens when it is decoded
CELLS = ("rnn", "lstm", "gru")
SCORES = ("additive", "dot", "scaled_dot", "general")
ACTIVATIONS = ("relu", "gelu", "swish")


class ConfigError(ValueError):
    """A description that no network fits; the message names the field and what it may be."""


@dataclass(frozen=True)
class RecurrentConfig:
    """A `RecurrentModel`; the fields are its arguments."""

    cell: str = "gru"  # rnn, lstm or gru
    d_embed: int = 256
    d_model: int = 512  # width of the decoder's state and of the source memory
    num_layers: int = 1  # of the encoder and of the decoder
    bidirectional: bool = True  # the encoder; each direction has half of d_model
    context: str = "initial"  # initial: hand over the final state; concat: also feed it to every step
    attention: str = "additive"  # none, additive, dot, scaled_dot or general
    d_attention: int = 256  # inner width of additive attention
    dropout: float = 0.0
    share_embeddings: bool = False  # one table for source and target
    tie_output: bool = False  # the output layer is the target's embedding table

    def __post_init__(self) -> None:
        _check_positive(self, "d_embed", "d_model", "num_layers", "d_attention")
        _check_choice(self, "cell", CELLS)
        _check_choice(self, "context", ("initial", "concat"))
        _check_choice(self, "attention", ("none", *SCORES))
        _check_probability(self, "dropout")
        _check_switch(self, "bidirectional", "share_embeddings", "tie_output")
        if self.bidirectional and self.d_model % 2:
            raise ConfigError(f"d_model must be even for a bidirectional encoder; got {self.d_model}")


@dataclass(frozen=True)
class TransformerConfig:
    """A `TransformerModel`; the fields are its arguments."""

    d_model: int = 256
    num_heads: int = 4
    d_ff: int = 1024
    num_layers: int = 3  # of the encoder
    num_decoder_layers: int = 3
    activation: str = "relu"
    pre_norm: bool = True
    dropout: float = 0.1
    share_embeddings: bool = True
    tie_output: bool = True
    max_positions: int = 512  # longest source or target, in tokens

    def __post_init__(self) -> None:
        _check_positive(
            self, "d_model", "num_heads", "d_ff", "num_layers", "num_decoder_layers", "max_positions"
        )
        _check_choice(self, "activation", ACTIVATIONS)
        _check_probability(self, "dropout")
        _check_switch(self, "pre_norm", "share_embeddings", "tie_output")
        if self.d_model % self.num_heads:
            raise ConfigError(
                f"d_model must be a multiple of num_heads; got {self.d_model}, {self.num_heads}"
            )
        if self.d_model % 2:
            raise ConfigError(f"d_model must be even, for sines and cosines; got {self.d_model}")


@dataclass(frozen=True)
class CaptionerConfig:
    """A `CaptionerModel`; the fields are its arguments."""

    picture_size: int = 64  # pixels on a side
    cells: int = 8  # on a side: what attention can look at
    channels: int = 32  # of the first convolution; each further one has twice as many, d_model at most
    d_embed: int = 96
    d_model: int = 192  # width of the decoder's state and of a cell's vector
    d_attention: int = 96
    dropout: float = 0.1
    tie_output: bool = False

    def __post_init__(self) -> None:
        _check_positive(self, "picture_size", "cells", "channels", "d_embed", "d_model", "d_attention")
        _check_probability(self, "dropout")
        _check_switch(self, "tie_output")
        ratio, rest = divmod(self.picture_size, self.cells)
        if rest or ratio & (ratio - 1) or self.picture_size > 512:
            raise ConfigError(
                f"picture_size must be cells times a power of 2, and at most 512; got {self.picture_size}, "
                f"{self.cells}"
            )
        if self.cells**2 > MAX_CELLS:
            raise ConfigError(f"cells must be at most {math.isqrt(MAX_CELLS)} on a side; got {self.cells}")
        for name in ("channels", "d_model"):
            if getattr(self, name) % 4:
                raise ConfigError(f"{name} must be a multiple of 4; got {getattr(self, name)}")


NetworkConfig = RecurrentConfig | TransformerConfig | CaptionerConfig
ARCHITECTURES: dict[str, type[RecurrentConfig] | type[TransformerConfig] | type[CaptionerConfig]] = {
    "recurrent": RecurrentConfig,
    "transformer": TransformerConfig,
    "captioner": CaptionerConfig,
}


def build_model(config: NetworkConfig, vocab_size: int, pad_id: int) -> Seq2SeqModel:
    """A network with random weights."""
    from models.networks.captioner import CaptionerModel
    from models.networks.recurrent import RecurrentModel
    from models.networks.transformer import TransformerModel

    arguments = asdict(config) | {"vocab_size": vocab_size, "pad_id": pad_id}
    if isinstance(config, RecurrentConfig):
        return RecurrentModel(**arguments)
    if isinstance(config, CaptionerConfig):
        return CaptionerModel(**arguments)
    return TransformerModel(**arguments)


def network_config(data: Mapping[str, Any]) -> NetworkConfig:
    """From plain JSON with an `architecture`. Raises ConfigError."""
    if not isinstance(data, Mapping):
        raise ConfigError(f"network must be a mapping with an architecture; got {data!r}")
    settings = dict(data)
    architecture = settings.pop("architecture", None)
    if architecture not in tuple(ARCHITECTURES):
        raise ConfigError(f"architecture must be one of {', '.join(ARCHITECTURES)}; got {architecture!r}")
    kind = ARCHITECTURES[architecture]
    unknown = settings.keys() - {field.name for field in fields(kind)}
    if unknown:
        raise ConfigError(f"a {architecture} network has no setting {', '.join(sorted(unknown))}")
    return kind(**settings)


def network_dict(config: NetworkConfig) -> dict[str, Any]:
    """As plain JSON, the inverse of `network_config`."""
    name = next(name for name, kind in ARCHITECTURES.items() if isinstance(config, kind))
    return {"architecture": name, **asdict(config)}


def _check_positive(config: Any, *names: str) -> None:
    for name in names:
        value = getattr(config, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ConfigError(f"{name} must be a whole number of at least 1; got {value!r}")


def _check_choice(config: Any, name: str, allowed: Any) -> None:
    if getattr(config, name) not in tuple(allowed):  # a list would not do as a dict's key
        raise ConfigError(f"{name} must be one of {', '.join(allowed)}; got {getattr(config, name)!r}")


def _check_probability(config: Any, name: str) -> None:
    value = getattr(config, name)
    if not isinstance(value, int | float) or not 0 <= value < 1:
        raise ConfigError(f"{name} must be at least 0 and below 1; got {value!r}")


def _check_switch(config: Any, *names: str) -> None:
    for name in names:
        value = getattr(config, name)
        if not isinstance(value, bool):
            raise ConfigError(f"{name} must be true or false; got {value!r}")

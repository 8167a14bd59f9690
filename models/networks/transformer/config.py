"""The description of a `TransformerModel`. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass

from models.errors import Message
from models.networks.config import (
    D_MODEL,
    DROPOUT,
    MAX_LAYERS,
    MAX_WIDTH,
    NUM_LAYERS,
    SHARE_EMBEDDINGS,
    TIE_OUTPUT,
    ConfigError,
    NetworkConfig,
)
from models.setting import Setting, labels, setting

ACTIVATION_TITLES = {"relu": "ReLU", "gelu": "GELU", "swish": "Swish"}
NUM_HEADS = Setting("Heads", "The model width must be a multiple of it.", 1, MAX_WIDTH, form=(1, 32))
D_FF = Setting("Feed-forward width", "Usually two to four model widths.", 1, 4 * MAX_WIDTH, form=(4, 8192))
NUM_DECODER_LAYERS = Setting(
    "Decoder layers", "Each decoding step runs through all of them.", 1, MAX_LAYERS, form=(1, 12)
)
ACTIVATION = Setting("Activation", "Between the two feed-forward layers.", offers=labels(ACTIVATION_TITLES))
PRE_NORM = Setting("Norm first", "Trains more steadily than normalising last.")
MAX_POSITIONS = Setting(low=1, high=8192)


@dataclass(frozen=True, kw_only=True)
class TransformerConfig(NetworkConfig):
    """A `TransformerModel`."""

    architecture = "transformer"
    network = "models.networks.transformer.model:TransformerModel"
    title = "Transformer"
    year = 2017
    offered = (
        *("d_model", "num_layers", "num_decoder_layers", "num_heads", "d_ff", "activation", "pre_norm"),
        *("dropout", "share_embeddings", "tie_output"),
    )

    d_model: int = setting(256, D_MODEL)
    num_heads: int = setting(4, NUM_HEADS)
    d_ff: int = setting(1024, D_FF)
    num_layers: int = setting(3, NUM_LAYERS)  # layers of the encoder
    num_decoder_layers: int = setting(3, NUM_DECODER_LAYERS)
    activation: str = setting("relu", ACTIVATION)
    pre_norm: bool = setting(True, PRE_NORM)
    dropout: float = setting(0.1, DROPOUT)
    share_embeddings: bool = setting(True, SHARE_EMBEDDINGS)
    tie_output: bool = setting(True, TIE_OUTPUT)
    max_positions: int = setting(512, MAX_POSITIONS)  # longest source or target, in tokens

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d_model % self.num_heads:
            raise ConfigError(
                "heads_do_not_divide",
                "d_model must be a multiple of num_heads; got {width}, {heads}",
                width=self.d_model,
                heads=self.num_heads,
            )
        if self.d_model % 2:
            raise ConfigError(
                "odd_positions",
                "d_model must be even, for sines and cosines; got {width}",
                width=self.d_model,
            )

    def num_parameters(self, vocab_size: int) -> int:
        width, norm = self.d_model, 2 * self.d_model
        attention = 4 * width * (width + 1)
        feed_forward = 2 * width * self.d_ff + self.d_ff + width
        encoder = self.num_layers * (attention + feed_forward + 2 * norm)
        decoder = self.num_decoder_layers * (2 * attention + feed_forward + 3 * norm)
        last_norms = 2 * norm if self.pre_norm else 0
        tables = 3 - self.share_embeddings - self.tie_output
        return encoder + decoder + last_norms + vocab_size * (tables * width + 1)

    def description(self) -> str:
        return f"{self.title}, {self._layers} layers, {self.num_heads} heads"

    def facts(self) -> tuple[Message, ...]:
        return Message("label", self.title), self._depth(self._layers), self._width()

    @property
    def _layers(self) -> str:
        return f"{self.num_layers} + {self.num_decoder_layers}"

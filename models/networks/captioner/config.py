"""The description of a `CaptionerModel`. Imports no torch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from models.errors import Message
from models.networks.config import D_MODEL, DROPOUT, MAX_WIDTH, TIE_OUTPUT, ConfigError, PictureConfig
from models.networks.recurrent.config import D_ATTENTION, D_EMBED, RecurrentConfig
from models.setting import Setting, setting

MAX_CELLS = 512  # cells of a picture; as many as a decoded source may have tokens
MAX_PICTURE_SIZE = 512  # pixels on a side
NUM_CHANNEL_GROUPS = 4  # channels of a group are normalised together
NUM_PLANES = 5  # inputs of the first convolution: red, green, blue, column and row of each pixel


@dataclass(frozen=True, kw_only=True)
class CaptionerConfig(PictureConfig):
    """A `CaptionerModel`."""

    architecture = "captioner"
    network = "models.networks.captioner.model:CaptionerModel"
    title = "Captioner"
    year = 2015

    picture_size: int = setting(64, Setting(low=1, high=MAX_PICTURE_SIZE))  # pixels on a side
    cells: int = setting(8, Setting(low=1, high=MAX_PICTURE_SIZE))  # cells on a side, the units of attention
    # Channels of the first convolution. Each further one has twice as many, at most d_model.
    channels: int = setting(32, Setting(low=1, high=MAX_WIDTH))
    d_embed: int = setting(96, D_EMBED)
    d_model: int = setting(192, D_MODEL)  # width of the decoder's state and of a cell's vector
    d_attention: int = setting(96, D_ATTENTION)
    dropout: float = setting(0.1, DROPOUT)
    tie_output: bool = setting(False, TIE_OUTPUT)

    def __post_init__(self) -> None:
        super().__post_init__()
        ratio, remainder = divmod(self.picture_size, self.cells)
        if remainder or ratio & (ratio - 1):
            raise ConfigError(
                "cells_do_not_fit",
                "picture_size must be cells times a power of 2; got {size}, {cells}",
                size=self.picture_size,
                cells=self.cells,
            )
        if self.cells**2 > MAX_CELLS:
            raise ConfigError(
                "too_many_cells",
                "cells must be at most {limit} on a side; got {cells}",
                limit=math.isqrt(MAX_CELLS),
                cells=self.cells,
            )
        for name in ("channels", "d_model"):
            if getattr(self, name) % NUM_CHANNEL_GROUPS:
                raise ConfigError(
                    "no_groups",
                    "{name} must be a multiple of {groups}; got {value}",
                    name=name,
                    groups=NUM_CHANNEL_GROUPS,
                    value=getattr(self, name),
                )

    @property
    def decoder(self) -> RecurrentConfig:
        """The recurrent network whose decoder writes the captions."""
        return RecurrentConfig(
            cell="gru",
            d_embed=self.d_embed,
            d_model=self.d_model,
            bidirectional=False,
            attention="additive",
            d_attention=self.d_attention,
            dropout=self.dropout,
            tie_output=self.tie_output,
        )

    @property
    def widths(self) -> tuple[int, ...]:
        """The channels between the convolutions, of which all but the last halve the picture."""
        halvings = (self.picture_size // self.cells).bit_length() - 1
        # The last output is as wide as the decoder's state, whose attention reads it.
        return (NUM_PLANES, *(min(self.channels << i, self.d_model) for i in range(halvings)), self.d_model)

    def num_parameters(self, vocab_size: int) -> int:
        convolutions = sum(outputs * (9 * inputs + 1) for inputs, outputs in pairwise(self.widths))
        norms = 2 * sum(self.widths[1:])
        start = self.d_model * (self.d_model + 1)
        return convolutions + norms + start + self.decoder.decoder_parameters(vocab_size)

    def words(self) -> Message:
        return Message("cnn_and", "CNN and {decoder}", decoder=self.decoder.words())

    def description(self) -> str:
        return f"CNN, {self.decoder.description()} over {self.cells} x {self.cells} cells"

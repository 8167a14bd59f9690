"""Image captioning: a convolutional encoder under the recurrent decoder, with attention over the picture."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from models.networks.base import EncoderOutput
from models.networks.captioner.config import NUM_CHANNEL_GROUPS, CaptionerConfig
from models.networks.recurrent.model import RecurrentDecoder


class CaptionerModel(RecurrentDecoder):
    """Xu et al. 2015, "Show, attend and tell", with soft attention on a grid of the picture's cells.

    A source is a picture: its `picture_size` ** 2 pixels as 0xRRGGBB, row by row. The encoder halves it by
    convolutions of stride 2 until `cells` remain on a side; the memory is one vector for each cell, and the
    decoder starts from a layer over their mean (section 3.1.2).
    """

    capturable = True

    def __init__(self, config: CaptionerConfig, vocab_size: int, pad_id: int) -> None:
        super().__init__(config.decoder, vocab_size, pad_id)
        self.picture_size, self.cells = config.picture_size, config.cells
        self.encoder = nn.Sequential()
        for i, (inputs, outputs) in enumerate(pairwise(config.widths)):
            stride = 2 if i < len(config.widths) - 2 else 1
            self.encoder.append(nn.Conv2d(inputs, outputs, 3, stride, padding=1))
            self.encoder.append(nn.GroupNorm(NUM_CHANNEL_GROUPS, outputs))
            self.encoder.append(nn.ReLU())
        self.start = nn.Linear(config.d_model, config.d_model)
        self._initialise(pad_id)
        for layer in self.encoder:
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu")
            elif isinstance(layer, nn.GroupNorm):
                nn.init.ones_(layer.weight)

    def embed_source(self, src: Tensor) -> Tensor:
        """Pixels (B, P) -> red, green and blue, from -1 to 1 (B, P, 3)."""
        colours = torch.stack([src >> shift & 255 for shift in (16, 8, 0)], dim=2)
        precision = self.tgt_embedding.weight.dtype  # a packed linear layer has no dtype
        return colours.to(precision) / 127.5 - 1

    def places(self, src: Tensor) -> Tensor:
        """The cell that a pixel lies in, row by row."""
        line = torch.arange(self.picture_size, device=src.device) * self.cells // self.picture_size
        return (line.unsqueeze(1) * self.cells + line).flatten()

    def blank(self, vectors: Tensor, token: int) -> Tensor:
        return vectors.mean(dim=1, keepdim=True)

    def encode_vectors(self, vectors: Tensor, src_mask: Tensor) -> EncoderOutput:
        """Encode all P = picture_size ** 2 pixels, whatever their mask."""
        grid = self.encoder(self._planes(vectors))  # (B, D, cells, cells)
        memory = grid.flatten(2).transpose(1, 2)
        mask = src_mask.new_ones(memory.shape[:2])
        return EncoderOutput(
            self.dropout(memory), mask, (self.start(memory.mean(dim=1)).tanh().unsqueeze(1),)
        )

    def pass_bytes(self, source: int, target: int) -> int:
        """The bytes of a pass over P pixels; the first convolutions store the most."""
        numbers = sum(
            layer.out_channels * source // 4 for layer in self.encoder if isinstance(layer, nn.Conv2d)
        )
        return super().pass_bytes(self.cells**2, target) + 4 * 3 * numbers

    def _planes(self, colours: Tensor) -> Tensor:
        """Add column and row of each pixel, -1 to 1, to its colours: (B, P, 3) -> (B, 5, size, size).

        Without them a convolution could not tell left from right (Liu et al. 2018).
        """
        size = self.picture_size
        line = torch.linspace(-1, 1, size, dtype=colours.dtype, device=colours.device)
        positions = torch.stack((line.expand(size, size), line.unsqueeze(1).expand(size, size)))
        planes = colours.transpose(1, 2).unflatten(2, (size, size))
        return torch.cat((planes, positions.expand(len(colours), -1, -1, -1)), dim=1)

"""What a network would say if it ended after one of its layers: logit lens and DecoderLens.

The decoder's: its output layer reads what an earlier layer left, through the norm that the last layer has
(nostalgebraist 2020, "interpreting GPT: the logit lens"). The encoder's: the whole decoder reads what an
earlier layer of the encoder left (Langedijk et al. 2023, "DecoderLens"). Layers turn the space that their
states lie in, so what an early layer seems to say may be of the reading and not of the layer (Belrose et al.
2023, "Eliciting latent predictions from Transformers with the tuned lens").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from models.inspection.question import InspectionError, reader_of_vectors
from models.inspection.wrapped import WrappedModel
from models.networks.base import EmbeddingModel, EncoderOutput, Seq2SeqModel

TOP = 3  # tokens of each reading


@dataclass(frozen=True)
class LayerReadout:
    """What one layer would predict at one step."""

    top: tuple[int, ...]  # the likeliest tokens, the likeliest first
    log_probs: tuple[float, ...]  # of each of them, nats
    log_prob: float  # of the token that was written
    rank: int  # of the token that was written, from 1


Layers = tuple[tuple[LayerReadout, ...], ...]  # for each layer, that before the first first, each of T steps


def decoder_lens(model: Seq2SeqModel, source: Sequence[int], output: Sequence[int], bos_id: int) -> Layers:
    """Read out after each layer of the decoder; the last reading is what the network itself says.

    source: S ids; output: T ids as they were written, without the start token. Raises InspectionError for a
    network of which only the last layer's states are in the space that its output layer reads.
    """
    reader, (ids, mask), tokens = _given(model, source, output)
    with torch.no_grad():
        vectors = reader.embed_target(_shifted(tokens, bos_id))
        layers = reader.decoder_layers(vectors, reader.encode(ids, mask))
        if len(layers) == 1:
            raise InspectionError(
                "no_decoder_layers",
                "Only a Transformer's decoder can be read out layer by layer: its layers add to one stream "
                "of vectors, which the output layer reads. This network hands over its last state alone.",
            )
        return tuple(_readings(reader, features[0], tokens[0]) for features in layers)


def encoder_lens(model: Seq2SeqModel, source: Sequence[int], output: Sequence[int], bos_id: int) -> Layers:
    """What the whole decoder predicts of the same output if it reads each layer of the encoder.

    As `decoder_lens`. Raises InspectionError.
    """
    reader, (ids, mask), tokens = _given(model, source, output)
    with torch.no_grad():
        vectors = reader.embed_target(_shifted(tokens, bos_id))
        memories = _encoder_layers(reader, ids, mask)
        rows = [reader.decode_vectors(vectors, encoded)[0] for encoded in memories]
        return tuple(_readings(reader, features, tokens[0]) for features in rows)


def after_encoder_layer(model: Seq2SeqModel, layer: int) -> Seq2SeqModel:
    """The network with its encoder cut off after so many layers, to decode with. Raises InspectionError."""
    return _CutEncoder(reader_of_vectors(model), layer)


class _CutEncoder(WrappedModel[EmbeddingModel]):
    """Another network's decoder, which reads an earlier layer of its encoder."""

    def __init__(self, whole: EmbeddingModel, layer: int) -> None:
        super().__init__(whole)
        self._layer = layer

    def encode(self, src: Tensor, src_mask: Tensor) -> EncoderOutput:
        """See `Seq2SeqModel.encode`."""
        return _encoder_layers(self.whole, src, src_mask)[self._layer]


def _given(
    model: Seq2SeqModel, source: Sequence[int], output: Sequence[int]
) -> tuple[EmbeddingModel, tuple[Tensor, Tensor], Tensor]:
    """The network, source (1, S) with its mask, output (1, T)."""
    reader = reader_of_vectors(model)
    device = next(reader.parameters()).device
    ids, tokens = (torch.tensor([list(item)], device=device) for item in (source, output))
    return reader, (ids, torch.ones_like(ids, dtype=torch.bool)), tokens


def _shifted(tokens: Tensor, bos_id: int) -> Tensor:
    """What the decoder reads to write these: (1, T)."""
    return torch.cat((torch.full_like(tokens[:, :1], bos_id), tokens[:, :-1]), dim=1)


def _encoder_layers(reader: EmbeddingModel, ids: Tensor, mask: Tensor) -> list[EncoderOutput]:
    layers = reader.encoder_layers(reader.embed_source(ids), mask)
    if len(layers) == 1:
        raise InspectionError(
            "no_encoder_layers",
            "Only a Transformer's encoder can be cut off after a layer: its layers add to one stream of "
            "vectors. What this network reads is ready after its last layer alone.",
        )
    return layers


def _readings(reader: EmbeddingModel, features: Tensor, tokens: Tensor) -> tuple[LayerReadout, ...]:
    """features (T, D), tokens (T,)."""
    log_probs = reader.log_probs(reader.project(features))  # (T, V)
    written = log_probs.gather(1, tokens.unsqueeze(1))  # (T, 1)
    ranks = (log_probs > written).sum(dim=1) + 1
    best = log_probs.topk(min(TOP, log_probs.shape[1]), dim=1)
    result = zip(
        best.indices.tolist(), best.values.tolist(), written[:, 0].tolist(), ranks.tolist(), strict=True
    )
    return tuple(
        LayerReadout(tuple(top), tuple(values), cast("float", own), cast("int", rank))
        for top, values, own, rank in result
    )

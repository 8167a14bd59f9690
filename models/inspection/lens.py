"""Predictions from an early layer: the logit lens for the decoder, and DecoderLens for the encoder.

The page calls them "Layers read out".
The logit lens applies the last norm and the output layer to the states of an earlier decoder layer
(nostalgebraist 2020, "interpreting GPT: the logit lens"). DecoderLens lets the whole decoder read the states
of an earlier encoder layer (Langedijk et al. 2023, "DecoderLens"). Layers may rotate the space of the states,
so a readout of an early layer may be an artefact of the method (Belrose et al. 2023, "Eliciting latent
predictions from Transformers with the tuned lens").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from models.inspection.question import InspectionError, reader_of_vectors
from models.inspection.wrapper import WrappedModel
from models.networks.base import EmbeddingModel, EncoderOutput, Seq2SeqModel

NUM_TOP = 3  # likeliest tokens of each readout


@dataclass(frozen=True)
class LayerReadout:
    """The prediction of one layer at one step."""

    top: tuple[int, ...]  # the likeliest tokens, the likeliest first
    log_probs: tuple[float, ...]  # log-probabilities of these tokens, in nats
    log_prob: float  # the log-probability of the output's token
    rank: int  # the rank of the output's token, from 1


Layers = tuple[tuple[LayerReadout, ...], ...]  # embeddings, then each layer: T steps each


def read_out(
    model: Seq2SeqModel, source: Sequence[int], output: Sequence[int], bos_id: int, *, encoder: bool
) -> Layers:
    """Predictions after each layer of the decoder, or of the whole decoder when it reads each encoder layer.

    The last ones are the network's own. source: S ids; output: T ids without the start token. Raises
    InspectionError for a network whose output layer, or decoder, can read only the states of the last layer.
    """
    network = reader_of_vectors(model)
    device = next(network.parameters()).device
    ids, tokens = (torch.tensor([list(sequence)], device=device) for sequence in (source, output))
    mask = torch.ones_like(ids, dtype=torch.bool)
    with torch.no_grad():
        inputs = torch.cat((torch.full_like(tokens[:, :1], bos_id), tokens[:, :-1]), dim=1)  # (1, T)
        vectors = network.embed_target(inputs)
        if encoder:
            layers = [network.decode_vectors(vectors, item) for item in _encoder_layers(network, ids, mask)]
        else:
            layers = network.decoder_layers(vectors, network.encode(ids, mask))
            if len(layers) == 1:
                raise InspectionError(
                    "no_decoder_layers",
                    "Only a Transformer's decoder can be read out layer by layer: its layers add to one "
                    "stream of vectors, which the output layer reads. This network hands over its last state "
                    "alone.",
                )
        return tuple(_readouts(network, features[0], tokens[0]) for features in layers)


def after_encoder_layer(model: Seq2SeqModel, layer: int) -> Seq2SeqModel:
    """The network with its encoder cut off after `layer` layers. Raises InspectionError."""
    return _CutEncoder(reader_of_vectors(model), layer)


class _CutEncoder(WrappedModel[EmbeddingModel]):
    """A network whose decoder reads an earlier layer of its encoder."""

    def __init__(self, network: EmbeddingModel, layer: int) -> None:
        super().__init__(network)
        self._layer = layer

    def encode(self, src: Tensor, src_mask: Tensor) -> EncoderOutput:
        return _encoder_layers(self.network, src, src_mask)[self._layer]


def _encoder_layers(network: EmbeddingModel, ids: Tensor, mask: Tensor) -> list[EncoderOutput]:
    layers = network.encoder_layers(network.embed_source(ids), mask)
    if len(layers) == 1:
        raise InspectionError(
            "no_encoder_layers",
            "Only a Transformer's encoder can be cut off after a layer: its layers add to one stream of "
            "vectors. What this network reads is ready after its last layer alone.",
        )
    return layers


def _readouts(network: EmbeddingModel, features: Tensor, tokens: Tensor) -> tuple[LayerReadout, ...]:
    """Predictions at each step; features (T, D), tokens (T,)."""
    log_probs = network.log_probs(network.project(features))  # (T, V)
    log_prob = log_probs.gather(1, tokens.unsqueeze(1))  # (T, 1)
    ranks = (log_probs > log_prob).sum(dim=1) + 1
    best = log_probs.topk(min(NUM_TOP, log_probs.shape[1]), dim=1)
    steps = zip(
        best.indices.tolist(), best.values.tolist(), log_prob[:, 0].tolist(), ranks.tolist(), strict=True
    )
    return tuple(
        LayerReadout(tuple(top), tuple(values), cast("float", value), cast("int", rank))
        for top, values, value, rank in steps
    )

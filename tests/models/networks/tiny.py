"""Tiny networks of every kind, and a batch of uneven lengths to try them on."""

from __future__ import annotations

from itertools import product

import torch
from torch import Tensor, nn

from models.batch import Batch
from models.networks.attention import SCORES
from models.networks.base import Seq2SeqModel
from models.networks.config import (
    CaptionerConfig,
    NetworkConfig,
    RecurrentConfig,
    TransformerConfig,
    build_model,
)
from models.networks.layers import ACTIVATIONS
from models.networks.recurrent import CELLS

VOCAB_SIZE, PAD, BOS, EOS = 13, 0, 2, 3
# Three rows, and no other dimension of any tensor is three: a test can tell rows from the rest.
SOURCES = ((5, 6, 7, 8, EOS), (EOS,), (9, 10, 4, EOS))
TARGETS = ((4, EOS), (12, 11, 10, 9, 8, EOS), (7, 5, 6, EOS))

BOTH = (False, True)


def _recurrent() -> dict[str, NetworkConfig]:
    found: dict[str, NetworkConfig] = {}
    kinds = product(CELLS, (1, 2), BOTH, ("initial", "concat"), ("none", *SCORES))
    for cell, layers, bidirectional, context, attention in kinds:
        name = f"{cell}-{layers}-{'bi' if bidirectional else 'uni'}-{context}-{attention}"
        found[name] = RecurrentConfig(cell, 6, 8, layers, bidirectional, context, attention, 5)
    # An embedding of the state's width is tied without a layer between, any other needs one.
    for share, tie, attention, d_embed in product(BOTH, BOTH, ("none", *SCORES), (6, 8)):
        if not (share or tie):
            continue
        name = f"gru-{attention}-embed{d_embed}{'-shared' * share}{'-tied' * tie}"
        found[name] = RecurrentConfig(
            d_embed=d_embed,
            d_model=8,
            d_attention=5,
            attention=attention,
            share_embeddings=share,
            tie_output=tie,
        )
    return found


def _transformers() -> dict[str, NetworkConfig]:
    found: dict[str, NetworkConfig] = {}
    for pre_norm, activation, share, tie in product(BOTH, ACTIVATIONS, BOTH, BOTH):
        if share != tie and activation != "relu":  # one of them alone matters to no activation
            continue
        name = f"transformer-{'pre' if pre_norm else 'post'}-{activation}{'-shared' * share}{'-tied' * tie}"
        found[name] = TransformerConfig(
            d_model=8,
            num_heads=2,
            d_ff=12,
            num_layers=1,
            num_decoder_layers=2,
            activation=activation,
            pre_norm=pre_norm,
            dropout=0.0,
            share_embeddings=share,
            tie_output=tie,
            max_positions=16,
        )
    return found


NETWORKS = _recurrent() | _transformers()
# These read pictures, so they need other sources.
CAPTIONERS: dict[str, NetworkConfig] = {
    f"captioner-{cells}{'-tied' * tie}": CaptionerConfig(4, cells, 4, 6, 8, 5, 0.0, tie)
    for cells, tie in product((4, 2), BOTH)
}
# Three pictures of 4 x 4 pixels.
PICTURES = tuple(tuple((i + 1) * (j + 3) * 123_457 % (1 << 24) for j in range(16)) for i in range(3))
# One of each family, where trying all of them would only take longer.
SAMPLE = {
    name: NETWORKS[name]
    for name in (
        "rnn-1-uni-initial-none",
        "lstm-2-bi-concat-none",
        "lstm-1-bi-initial-general",
        "gru-1-bi-initial-additive",
        "gru-2-uni-concat-scaled_dot",
        "gru-additive-embed6-shared-tied",
        "transformer-pre-relu-shared-tied",
        "transformer-post-gelu",
    )
}


def tiny_model(config: NetworkConfig, device: str = "cpu") -> Seq2SeqModel:
    """In double precision where the device has it, so that the laws can be told from rounding.

    Every weight is random, the biases and the padding token's embedding too: nothing is right by being 0.
    """
    torch.manual_seed(0)
    model = build_model(config, VOCAB_SIZE, PAD)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5)
    return model.to(device, torch.float32 if device.startswith("mps") else torch.float64).eval()


def tiny_sources(config: NetworkConfig | None) -> tuple[tuple[int, ...], ...]:
    """Three sources that the network can read."""
    return PICTURES if isinstance(config, CaptionerConfig) else SOURCES


def tiny_batch(device: str = "cpu", config: NetworkConfig | None = None) -> Batch:
    """Three pairs; texts are of uneven lengths."""
    return Batch.from_ids(tiny_sources(config), TARGETS, bos_id=BOS, pad_id=PAD).to(torch.device(device))


def assert_same(actual: Tensor, expected: Tensor) -> None:
    """Equal but for rounding."""
    tolerance = 1e-9 if actual.dtype == torch.float64 else 1e-4
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance)

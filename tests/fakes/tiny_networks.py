"""Tiny networks of every kind, and a batch of uneven lengths to try them on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest
import torch
from torch import Tensor, nn

from models.batch import Batch
from models.networks.architectures import ARCHITECTURES, build_model
from models.networks.base import DecoderState, Seq2SeqModel
from models.networks.captioner.config import CaptionerConfig
from models.networks.cells import CELLS
from models.networks.config import NetworkConfig, PictureConfig
from models.networks.names import ACTIVATIONS, SCORES
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from tests.grids import named

VOCAB_SIZE, PAD, BOS, EOS = 13, 0, 2, 3
# Three rows, and no other dimension of any tensor is three: a test can tell rows from the rest.
SOURCES = ((5, 6, 7, 8, EOS), (EOS,), (9, 10, 4, EOS))
TARGETS = ((4, EOS), (12, 11, 10, 9, 8, EOS), (7, 5, 6, EOS))

BOTH = (False, True)


# One of each family, where trying all of them would only take longer.
OF_EACH_FAMILY = (
    *(f"{cell}-2-bi-concat-additive" for cell in CELLS if cell not in ("rnn", "lstm", "gru")),
    "rnn-1-uni-initial-none",
    "lstm-2-bi-concat-none",
    "lstm-1-bi-initial-general",
    "gru-1-bi-initial-additive",
    "gru-2-uni-concat-scaled_dot",
    "gru-additive-embed6-shared-tied",
    "transformer-pre-relu-shared-tied",
    "transformer-post-gelu",
)


def _recurrent() -> dict[str, NetworkConfig]:
    """Half of what can be combined: any four choices meet in every way, the fifth follows by parity."""
    found: dict[str, NetworkConfig] = {}
    choices = (tuple(CELLS), (1, 2), BOTH, ("initial", "concat"), ("none", *SCORES))
    for places in product(*(range(len(each)) for each in choices)):
        cell, layers, bidirectional, context, attention = (
            each[place] for each, place in zip(choices, places, strict=True)
        )
        name = f"{cell}-{layers}-{'bi' if bidirectional else 'uni'}-{context}-{attention}"
        if sum(places) % 2 == 0 or name in OF_EACH_FAMILY:
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


def _others() -> dict[str, NetworkConfig]:
    """Of every architecture that is not varied above or below: none of its sizes above 8."""
    varied = (RecurrentConfig, TransformerConfig, CaptionerConfig)
    return {name: tiny_config(kind) for name, kind in ARCHITECTURES.items() if kind not in varied}


def tiny_config(kind: type[NetworkConfig]) -> NetworkConfig:
    """The defaults of an architecture, but for dropout, and no size above 8, or 3: see SOURCES."""
    given = {name: min(about.default, 8) for name, about in kind.settings().items() if about.kind is int}
    return kind(**{name: 2 if size == 3 else size for name, size in given.items()}, dropout=0.0)


OTHERS = _others()
NETWORKS = _recurrent() | _transformers() | {n: c for n, c in OTHERS.items() if not c.reads_pictures}
# These read pictures, so they need other sources.
CAPTIONERS: dict[str, NetworkConfig] = {
    f"captioner-{cells}{'-tied' * tie}": CaptionerConfig(4, cells, 4, 6, 8, 5, 0.0, tie)
    for cells, tie in product((4, 2), BOTH)
} | {name: config for name, config in OTHERS.items() if config.reads_pictures}
SAMPLE = {
    name: NETWORKS[name]
    for name in (*OF_EACH_FAMILY, *(name for name, config in OTHERS.items() if not config.reads_pictures))
}


def each(networks: dict[str, NetworkConfig]) -> pytest.MarkDecorator:
    """The argument `config` of a test: hundreds of networks, of which `make test` tries a sample."""
    sample = [name for name in networks if name in {*SAMPLE, *CAPTIONERS}]
    return pytest.mark.parametrize("config", named(networks, sample))


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
    return tiny_pictures(config, 3) if isinstance(config, PictureConfig) else SOURCES


def tiny_pictures(config: PictureConfig, count: int) -> tuple[tuple[int, ...], ...]:
    """Pictures of the size that the network reads, no two alike."""
    pixels = range(config.picture_size**2)
    return tuple(tuple((i + 1) * (j + 3) * 123_457 % (1 << 24) for j in pixels) for i in range(count))


def tiny_batch(device: str = "cpu", config: NetworkConfig | None = None) -> Batch:
    """Three pairs; texts are of uneven lengths."""
    return Batch.from_ids(tiny_sources(config), TARGETS, bos_id=BOS, pad_id=PAD).to(torch.device(device))


def assert_same(actual: Tensor, expected: Tensor, double: float = 1e-9) -> None:
    """Equal but for rounding, which is `double` in double precision."""
    tolerance = double if actual.dtype == torch.float64 else 1e-4
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance)


def overfitting(config: NetworkConfig, device: str) -> tuple[Seq2SeqModel, Batch]:
    """A network that is just wide enough, and eight pairs for it to learn by heart."""
    torch.manual_seed(0)
    widths = {name: size for name, size in (("d_ff", 64), ("d_embed", 32)) if name in config.settings()}
    config = replace(config, d_model=32, **widths)  # type: ignore[type-var]
    words = [(4, 5), (5, 4), (6,), (7, 8, 9), (9, 8, 7), (10, 10), (11, 12, 4, 4), (4, 4, 12, 11)]
    sources, targets = [(*word, EOS) for word in words], [(*reversed(word), EOS) for word in words]
    if isinstance(config, PictureConfig):
        sources = list(tiny_pictures(config, len(words)))
    batch = Batch.from_ids(sources, targets, bos_id=BOS, pad_id=PAD)
    return build_model(config, VOCAB_SIZE, PAD).to(device), batch.to(torch.device(device))


def learns_by_heart(model: Seq2SeqModel, batch: Batch, loss: Callable[[], Tensor]) -> bool:
    """Whether some hundred steps of Adam are enough for every token of the batch."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(12):
        for _ in range(20):
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()
        predicted = model.eval()(batch).argmax(dim=-1)
        model.train()
        if torch.equal(predicted[batch.tgt_mask], batch.tgt_out[batch.tgt_mask]):
            return True
    return False


def start(model: Seq2SeqModel, batch: Batch) -> DecoderState:
    """The decoder's state before its first step."""
    return model.initial_state(model.encode(batch.src, batch.src_mask))


def other(tokens: Tensor) -> Tensor:
    """Another token in every place."""
    return (tokens + 1) % VOCAB_SIZE

"""Tiny networks of every kind, and a batch of uneven lengths for them."""

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
from models.networks.recurrent.config import SCORE_TITLES, RecurrentConfig
from models.networks.transformer.config import ACTIVATION_TITLES, TransformerConfig
from tests.grids import named

VOCAB_SIZE, PAD, BOS, EOS = 13, 0, 2, 3
# Three rows, while no other dimension of a tensor is three, so that tests can identify the rows.
SOURCES = ((5, 6, 7, 8, EOS), (EOS,), (9, 10, 4, EOS))
TARGETS = ((4, EOS), (12, 11, 10, 9, 8, EOS), (7, 5, 6, EOS))

BOTH = (False, True)


# A sample of each family, for tests that all networks would only make slower.
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
    """Return half of all combinations: any four choices vary freely, and parity determines the fifth."""
    configs: dict[str, NetworkConfig] = {}
    choices = (tuple(CELLS), (1, 2), BOTH, ("initial", "concat"), ("none", *SCORE_TITLES))
    for indices in product(*(range(len(values)) for values in choices)):
        cell, layers, bidirectional, context, attention = (
            values[index] for values, index in zip(choices, indices, strict=True)
        )
        name = f"{cell}-{layers}-{'bi' if bidirectional else 'uni'}-{context}-{attention}"
        if sum(indices) % 2 == 0 or name in OF_EACH_FAMILY:
            configs[name] = RecurrentConfig(
                cell=cell,
                d_embed=6,
                d_model=8,
                num_layers=layers,
                bidirectional=bidirectional,
                context=context,
                attention=attention,
                d_attention=5,
            )
    # An embedding as wide as the state is tied directly; any other needs a layer in between.
    for share, tie, attention, d_embed in product(BOTH, BOTH, ("none", *SCORE_TITLES), (6, 8)):
        if not (share or tie):
            continue
        name = f"gru-{attention}-embed{d_embed}{'-shared' * share}{'-tied' * tie}"
        configs[name] = RecurrentConfig(
            d_embed=d_embed,
            d_model=8,
            d_attention=5,
            attention=attention,
            share_embeddings=share,
            tie_output=tie,
        )
    return configs


def _transformers() -> dict[str, NetworkConfig]:
    configs: dict[str, NetworkConfig] = {}
    for pre_norm, activation, share, tie in product(BOTH, ACTIVATION_TITLES, BOTH, BOTH):
        if share != tie and activation != "relu":  # the activation makes no difference to these
            continue
        name = f"transformer-{'pre' if pre_norm else 'post'}-{activation}{'-shared' * share}{'-tied' * tie}"
        configs[name] = TransformerConfig(
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
    return configs


def _other_architectures() -> dict[str, NetworkConfig]:
    """Return one small network of every other architecture."""
    varied = (RecurrentConfig, TransformerConfig, CaptionerConfig)
    return {name: tiny_config(kind) for name, kind in ARCHITECTURES.items() if kind not in varied}


def tiny_config(kind: type[NetworkConfig]) -> NetworkConfig:
    """Return the default network of an architecture without dropout, its sizes at most 8 and never 3."""
    sizes = {name: min(about.default, 8) for name, about in kind.settings().items() if about.kind is int}
    return kind(**{name: 2 if size == 3 else size for name, size in sizes.items()}, dropout=0.0)


OTHERS = _other_architectures()
NETWORKS = _recurrent() | _transformers() | {n: c for n, c in OTHERS.items() if not c.reads_pictures}
# Networks that read pictures and need other sources.
CAPTIONERS: dict[str, NetworkConfig] = {
    f"captioner-{cells}{'-tied' * tie}": CaptionerConfig(
        picture_size=4,
        cells=cells,
        channels=4,
        d_embed=6,
        d_model=8,
        d_attention=5,
        dropout=0.0,
        tie_output=tie,
    )
    for cells, tie in product((4, 2), BOTH)
} | {name: config for name, config in OTHERS.items() if config.reads_pictures}
SAMPLE = {
    name: NETWORKS[name]
    for name in (*OF_EACH_FAMILY, *(name for name, config in OTHERS.items() if not config.reads_pictures))
}


def each_network(networks: dict[str, NetworkConfig]) -> pytest.MarkDecorator:
    """Parametrize a test by `config`; `make test` tries a sample of the networks."""
    sample = [name for name in networks if name in {*SAMPLE, *CAPTIONERS}]
    return pytest.mark.parametrize("config", named(networks, sample))


def tiny_model(config: NetworkConfig, device: str = "cpu") -> Seq2SeqModel:
    """Build a network in double precision, if the device has it, so that rounding does not hide errors.

    Every weight is random, biases and the embedding of padding included, so that no zero hides an error.
    """
    torch.manual_seed(0)
    model = build_model(config, VOCAB_SIZE, PAD)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5)
    return model.to(device, torch.float32 if device.startswith("mps") else torch.float64).eval()


def tiny_sources(config: NetworkConfig | None) -> tuple[tuple[int, ...], ...]:
    """Return three sources that the network can read."""
    return tiny_pictures(config, 3) if isinstance(config, PictureConfig) else SOURCES


def tiny_pictures(config: PictureConfig, count: int) -> tuple[tuple[int, ...], ...]:
    """Return different pictures of the size that the network reads."""
    pixels = range(config.picture_size**2)
    return tuple(tuple((i + 1) * (j + 3) * 123_457 % (1 << 24) for j in pixels) for i in range(count))


def tiny_batch(device: str = "cpu", config: NetworkConfig | None = None) -> Batch:
    """Return three pairs; texts have different lengths."""
    return Batch.from_ids(tiny_sources(config), TARGETS, bos_id=BOS, pad_id=PAD).to(torch.device(device))


def assert_same(actual: Tensor, expected: Tensor, double: float = 1e-9) -> None:
    """Assert equality up to rounding; `double` is the tolerance in double precision."""
    tolerance = double if actual.dtype == torch.float64 else 1e-4
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance)


def overfitting(config: NetworkConfig, device: str) -> tuple[Seq2SeqModel, Batch]:
    """Return a network that is just wide enough to memorise eight pairs, and these pairs."""
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
    """Whether at most 240 steps of Adam suffice for every token of the batch."""
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
    """Return the decoder's state before its first step."""
    return model.initial_state(model.encode(batch.src, batch.src_mask))


def other(tokens: Tensor) -> Tensor:
    """Replace every token by another one."""
    return (tokens + 1) % VOCAB_SIZE

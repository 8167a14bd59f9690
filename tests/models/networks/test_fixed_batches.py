"""Rows and columns that fill a batch up to a fixed size change neither features nor gradients."""

from __future__ import annotations

import torch

from models.batch import Batch, FixedBatch
from models.networks.config import NetworkConfig, PictureConfig
from models.training.data.training_data import TokenRows
from tests.fakes.tiny_networks import (
    BOS,
    CAPTIONERS,
    NETWORKS,
    OTHERS,
    PAD,
    TARGETS,
    assert_same,
    each_network,
    tiny_batch,
    tiny_model,
    tiny_sources,
)

OURS = {name: config for name, config in (NETWORKS | CAPTIONERS).items() if name not in OTHERS}
ROWS, WIDER = 5, 3  # rows of the fixed batch, and columns that it has more


def fixed_batch(config: NetworkConfig) -> FixedBatch:
    batch, sources = tiny_batch(config=config), tiny_sources(config)
    width = batch.src.shape[1] + (0 if isinstance(config, PictureConfig) else WIDER)
    read = TokenRows.from_rows(sources, filler=(PAD,), pad_id=PAD).batch(range(3), ROWS, width)
    outputs, mask = TokenRows.from_rows(TARGETS, filler=(), pad_id=PAD).batch(
        range(3), ROWS, batch.tgt_in.shape[1] + WIDER
    )
    inputs = torch.cat((torch.full((ROWS, 1), BOS), outputs[:, :-1]), dim=1)
    return FixedBatch(*read, inputs, outputs, mask)


@each_network(OURS)
def test_a_padded_batch_gives_the_same_features_and_gradients(config: NetworkConfig) -> None:
    model, batch = tiny_model(config).train(), tiny_batch(config=config)
    rows, length = batch.tgt_mask.shape
    assert model.capturable

    def passed(inputs: Batch) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        model.zero_grad()
        features = model.features(inputs)[:rows, :length][batch.tgt_mask]
        features.pow(2).sum().backward()
        gradients = {
            name: weight.grad.clone() for name, weight in model.named_parameters() if weight.grad is not None
        }
        return features.detach(), gradients

    (expected, gradients), (features, others) = passed(batch), passed(fixed_batch(config))
    assert_same(features, expected)
    assert gradients.keys() == others.keys()
    for name, gradient in gradients.items():
        assert_same(others[name], gradient)

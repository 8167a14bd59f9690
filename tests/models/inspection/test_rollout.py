"""Attention rollout, by hand: the order of the layers matters, and nothing is lost."""

from __future__ import annotations

import torch

from models.inspection.contributions import DecoderLayerShares, roll_out, roll_out_decoder

FIRST = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
SECOND = torch.tensor([[0.2, 0.8], [0.0, 1.0]])


def test_a_later_layer_mixes_what_the_earlier_ones_have_mixed() -> None:
    first, second = roll_out([FIRST, SECOND])
    assert torch.equal(first, FIRST)
    assert torch.allclose(second, torch.tensor([[0.6, 0.4], [0.5, 0.5]]))  # .2 (1, 0) + .8 (.5, .5); (.5, .5)


def test_a_decoder_layer_divides_between_the_source_and_what_the_layers_before_have_left() -> None:
    layer = DecoderLayerShares(
        FIRST, cross=torch.tensor([[0.5, 0.0], [0.0, 0.25]]), residual=torch.tensor([0.5, 0.75])
    )
    first, second = roll_out_decoder([layer, layer], encoder=SECOND)
    assert torch.allclose(first.source, torch.tensor([[0.1, 0.4], [0.0, 0.25]]))
    assert torch.allclose(first.prefix, torch.tensor([[0.5, 0.0], [0.375, 0.375]]))
    # The source: its own .5 and .25, and half or three quarters of the mixture of the layer before.
    assert torch.allclose(second.source, torch.tensor([[0.15, 0.6], [0.0375, 0.49375]]))
    for shares in (first, second):
        assert torch.allclose(shares.source.sum(1) + shares.prefix.sum(1), torch.ones(2))

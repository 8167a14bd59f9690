"""Cells written out against torch's own."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from models.networks.cells import UnrolledCells
from models.networks.recurrent import CELLS
from tests.models.networks.tiny import assert_same

D_INPUT, D_STATE = 5, 4


def linear(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0])
    layer.weight.data = weight
    assert bias is not None
    layer.bias.data = bias
    return layer


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("num_layers", [1, 2])
@pytest.mark.parametrize("length", [1, 3])
@torch.no_grad()
def test_unrolled_cells_are_torch_s(kind: str, num_layers: int, length: int) -> None:
    torch.manual_seed(0)
    cells = CELLS[kind](D_INPUT, D_STATE, num_layers, batch_first=True).double()
    for parameter in cells.parameters():
        nn.init.normal_(parameter)
    inputs = torch.randn(2, length, D_INPUT, dtype=torch.float64)
    first = torch.randn(num_layers, 2, D_STATE, dtype=torch.float64)
    before = (first, first.flip(2)) if kind == "lstm" else first
    expected, expected_after = cells(inputs, before)
    outputs, after = UnrolledCells(cells, linear)(inputs, before)
    assert_same(outputs, expected)
    assert isinstance(after, tuple) == isinstance(expected_after, tuple)
    for ours, theirs in zip(after, expected_after, strict=True):
        assert_same(ours, theirs)

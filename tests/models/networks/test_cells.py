"""Cells step by step, over whole sequences and unrolled for decoding, against torch's own layers."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from models.networks.cells import CELLS
from models.networks.recurrent.layers import LoopedLayers, UnrolledCells, recurrent_layers
from tests.fakes.tiny_networks import assert_same

D_INPUT, D_STATE = 5, 4
LENGTHS = torch.tensor([3, 5, 1])  # three sequences, not in order

every_cell = pytest.mark.parametrize("name", CELLS)
depths = pytest.mark.parametrize("num_layers", [1, 2])
directions = pytest.mark.parametrize("bidirectional", [False, True])
fused_cells = pytest.mark.parametrize("name", [name for name, cell in CELLS.items() if cell.fused])


def linear(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0])
    layer.weight.data = weight
    assert bias is not None
    layer.bias.data = bias
    return layer


def layers(name: str, num_layers: int, *, bidirectional: bool = False, looped: bool = False) -> nn.Module:
    """Layers with the same random weights, looped or fused."""
    cell = replace(CELLS[name], fused="") if looped else CELLS[name]
    module = recurrent_layers(cell, D_INPUT, D_STATE, num_layers, bidirectional=bidirectional).double()
    torch.manual_seed(0)
    for _, parameter in sorted(module.named_parameters()):
        nn.init.normal_(parameter)
    return module


def start(name: str, num_layers: int, rows: int, directions: int = 1) -> Tensor | tuple[Tensor, ...]:
    """A random tensor for each state that the cell carries."""
    shape = (CELLS[name].states, num_layers * directions, rows, D_STATE)
    parts = torch.randn(shape, dtype=torch.float64).unbind(0)
    return parts if len(parts) > 1 else parts[0]


def assert_states(actual: Tensor | tuple[Tensor, ...], expected: Tensor | tuple[Tensor, ...]) -> None:
    assert isinstance(actual, tuple) == isinstance(expected, tuple)
    for ours, theirs in zip(actual, expected, strict=True):
        assert_same(ours, theirs)


@every_cell
@depths
@pytest.mark.parametrize("length", [1, 3])
@torch.no_grad()
def test_unrolled_cells_equal_their_layers(name: str, num_layers: int, length: int) -> None:
    trained = layers(name, num_layers)
    inputs = torch.randn(2, length, D_INPUT, dtype=torch.float64)
    before = start(name, num_layers, 2)
    expected, expected_after = trained(inputs, before)
    outputs, after = UnrolledCells(CELLS[name], trained.all_weights, linear)(inputs, before)
    assert_same(outputs, expected)
    assert_states(after, expected_after)


@every_cell
@depths
@directions
def test_a_cell_has_its_stated_number_of_parameters(name: str, num_layers: int, bidirectional: bool) -> None:
    module, sides = layers(name, num_layers, bidirectional=bidirectional), 2 if bidirectional else 1
    first = CELLS[name].num_parameters(D_INPUT, D_STATE)
    deeper = CELLS[name].num_parameters(sides * D_STATE, D_STATE)
    expected = sides * (first + (num_layers - 1) * deeper)
    assert sum(parameter.numel() for parameter in module.parameters()) == expected


@fused_cells
@depths
@directions
def test_looped_layers_have_the_parameters_of_those_of_torch(
    name: str, num_layers: int, bidirectional: bool
) -> None:
    fused, looped = (layers(name, num_layers, bidirectional=bidirectional, looped=x) for x in (False, True))
    assert isinstance(looped, LoopedLayers)
    assert not isinstance(fused, LoopedLayers)
    shapes = [
        {key: tensor.shape for key, tensor in module.state_dict().items()} for module in (fused, looped)
    ]
    assert shapes[0] == shapes[1]


@fused_cells
@depths
@directions
@pytest.mark.parametrize("with_state", [False, True])
def test_looped_layers_equal_those_of_torch(
    name: str, num_layers: int, bidirectional: bool, with_state: bool
) -> None:
    """The sequences have uneven lengths, and the backward direction begins at their ends."""
    fused, looped = (layers(name, num_layers, bidirectional=bidirectional, looped=x) for x in (False, True))
    inputs = torch.randn(len(LENGTHS), 5, D_INPUT, dtype=torch.float64, requires_grad=True)
    before = start(name, num_layers, len(LENGTHS), 2 if bidirectional else 1) if with_state else None
    result = []
    for module in (fused, looped):
        packed = pack_padded_sequence(inputs, LENGTHS, batch_first=True, enforce_sorted=False)
        outputs, after = module(packed, before)
        padded, lengths = pad_packed_sequence(outputs, batch_first=True)
        assert lengths.tolist() == LENGTHS.tolist()
        (gradient,) = torch.autograd.grad(padded.square().sum(), inputs)
        result.append((padded, after, gradient))
    (expected, expected_after, expected_gradient), (actual, actual_after, gradient) = result
    assert_same(actual, expected)
    assert_states(actual_after, expected_after)
    assert_same(gradient, expected_gradient)


@fused_cells
@depths
@torch.no_grad()
def test_looped_layers_read_unpacked_inputs(name: str, num_layers: int) -> None:
    fused, looped = (layers(name, num_layers, looped=x) for x in (False, True))
    inputs = torch.randn(2, 3, D_INPUT, dtype=torch.float64)
    before = start(name, num_layers, 2)
    (expected, expected_after), (actual, after) = fused(inputs, before), looped(inputs, before)
    assert_same(actual, expected)
    assert_states(after, expected_after)


def test_dropout_acts_between_looped_layers_in_training() -> None:
    torch.manual_seed(0)
    module = recurrent_layers(replace(CELLS["gru"], fused=""), D_INPUT, D_STATE, 2, dropout=0.5)
    inputs = torch.randn(2, 3, D_INPUT)
    assert not torch.equal(module(inputs)[0], module(inputs)[0])
    module.eval()
    assert torch.equal(module(inputs)[0], module(inputs)[0])

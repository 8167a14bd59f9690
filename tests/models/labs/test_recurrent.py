"""Recurrent cells from scratch against those of torch, and gradients against their definitions."""

from __future__ import annotations

from itertools import product

import pytest
import torch
from torch import Tensor, nn

from models.labs.recurrent import (
    NUM_GATES,
    CarriedState,
    Layer,
    clipped,
    new_layers,
    randomly_truncated,
    truncated,
    unroll,
)

STEPS, ROWS, INPUTS, HIDDEN = 5, 3, 4, 6
TORCH_LAYERS = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


def generator(seed: int = 1) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def some_inputs() -> Tensor:
    return torch.randn(STEPS, ROWS, INPUTS, generator=generator(2))


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", NUM_GATES)
def test_cells_are_those_of_torch(kind: str, layers: int) -> None:
    layers_of_ours = new_layers(kind, INPUTS, HIDDEN, layers, generator())
    theirs = TORCH_LAYERS[kind](INPUTS, HIDDEN, layers)
    for index, layer in enumerate(layers_of_ours):
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            getattr(theirs, f"{name}_l{index}").data.copy_(getattr(layer, name))
    output, state = unroll(kind, layers_of_ours, some_inputs(), CarriedState.zeros(layers, ROWS, HIDDEN))
    with torch.no_grad():
        expected, last = theirs(some_inputs())
    h_n = last[0] if kind == "lstm" else last
    assert output.shape == (STEPS, ROWS, HIDDEN)
    assert state.h.shape == (layers, ROWS, HIDDEN)
    torch.testing.assert_close(output, expected, atol=1e-6, rtol=0)
    torch.testing.assert_close(state.h, h_n, atol=1e-6, rtol=0)
    if kind == "lstm":
        torch.testing.assert_close(state.c, last[1], atol=1e-6, rtol=0)
    assert torch.equal(output[-1], state.h[-1])


@pytest.mark.parametrize("kind", NUM_GATES)
def test_a_carried_state_continues_a_sequence(kind: str) -> None:
    layers, inputs = new_layers(kind, INPUTS, HIDDEN, 2, generator()), some_inputs()
    whole, last = unroll(kind, layers, inputs, CarriedState.zeros(2, ROWS, HIDDEN))
    first, between = unroll(kind, layers, inputs[:2], CarriedState.zeros(2, ROWS, HIDDEN))
    second, end = unroll(kind, layers, inputs[2:], between)
    torch.testing.assert_close(torch.cat([first, second]), whole)
    torch.testing.assert_close(end.h, last.h)


def gradient(kind: str, scales: list[float] | None) -> Tensor:
    """Return the gradient of the summed last output by the recurrent weights, in double precision."""
    (single,) = new_layers(kind, INPUTS, HIDDEN, 1, generator())
    layer = Layer(*(tensor.double() for tensor in single.tensors))
    layer.weight_hh.requires_grad_()
    zeros = torch.zeros(1, ROWS, HIDDEN, dtype=torch.float64)
    output, _ = unroll(kind, [layer], some_inputs().double(), CarriedState(zeros, zeros), scales)
    return torch.autograd.grad(output[-1].sum(), layer.weight_hh)[0]


@pytest.mark.parametrize("kind", NUM_GATES)
def test_the_mean_over_all_random_cuts_is_the_full_gradient(kind: str) -> None:
    """Every pattern of xi = 1/pi or 0, weighted by its probability (Tallec and Ollivier)."""
    survival = 0.4
    mean = torch.zeros(NUM_GATES[kind] * HIDDEN, HIDDEN, dtype=torch.float64)
    for pattern in product([True, False], repeat=STEPS):
        probability = survival ** sum(pattern) * (1 - survival) ** (STEPS - sum(pattern))
        mean += probability * gradient(kind, [1 / survival if item else 0.0 for item in pattern])
    torch.testing.assert_close(mean, gradient(kind, None))


def test_cuts_leave_values_alone_and_end_the_gradient() -> None:
    assert truncated(5, 2) == [0, 1, 0, 1, 0]
    layers, inputs = new_layers("rnn", INPUTS, HIDDEN, 1, generator()), some_inputs().requires_grad_()
    zeros = CarriedState.zeros(1, ROWS, HIDDEN)
    output, _ = unroll("rnn", layers, inputs, zeros, truncated(STEPS, 2))
    assert torch.equal(output, unroll("rnn", layers, inputs, zeros)[0])
    (flow,) = torch.autograd.grad(output[3].sum(), inputs)
    reached = flow.abs().sum((1, 2)) > 0
    assert reached.tolist() == [False, False, True, True, False]


def test_random_cuts_have_the_mean_one() -> None:
    scales = randomly_truncated(20_000, 0.25, generator())
    assert set(scales) == {0.0, 4.0}
    assert sum(scales) / len(scales) == pytest.approx(1, abs=0.05)
    assert scales == randomly_truncated(20_000, 0.25, generator())


def test_clipping_shortens_all_gradients_together() -> None:
    gradients = [torch.tensor([3.0]), torch.tensor([[0.0, 4.0]])]
    shortened, norm = clipped(gradients, 2.5)
    assert norm == 5.0
    assert [item.tolist() for item in shortened] == [[1.5], [[0.0, 2.0]]]
    for threshold in (5.0, 7.0, None):
        same, norm = clipped(gradients, threshold)
        assert norm == 5.0
        assert all(map(torch.equal, same, gradients))

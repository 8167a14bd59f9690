"""Fused recurrent cells, which torch has for accelerators but not for the CPU.

Letters are those of torch.nn.GRUCell and LSTMCell. A backward pass receives what its forward pass saved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_aten = torch.ops.aten
Outputs = tuple[Tensor | None, ...]


def gru(
    from_input: Tensor,
    from_hidden: Tensor,
    hidden: Tensor,
    input_bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> Outputs:
    """Return the next hidden state (B, D) and the values saved for the gradient (B, 5 D)."""
    if input_bias is not None and hidden_bias is not None:
        from_input, from_hidden = from_input + input_bias, from_hidden + hidden_bias
    input_r, input_z, input_n = from_input.chunk(3, 1)
    hidden_r, hidden_z, hidden_n = from_hidden.chunk(3, 1)
    r, z = torch.sigmoid(input_r + hidden_r), torch.sigmoid(input_z + hidden_z)
    n = torch.tanh(input_n + r * hidden_n)
    return n + z * (hidden - n), torch.cat((r, z, n, hidden, hidden_n), 1)


def gru_backward(grad: Tensor, saved: Tensor, has_bias: bool) -> Outputs:
    """Return the gradients of both products, the hidden state and both biases."""
    r, z, n, hidden, hidden_n = saved.chunk(5, 1)
    grad_n = grad * (1 - z) * (1 - n * n)
    grad_z = grad * (hidden - n) * z * (1 - z)
    grad_r = grad_n * hidden_n * r * (1 - r)
    from_input = torch.cat((grad_r, grad_z, grad_n), 1)
    from_hidden = torch.cat((grad_r, grad_z, grad_n * r), 1)
    biases = (from_input.sum(0), from_hidden.sum(0)) if has_bias else (None, None)
    return from_input, from_hidden, grad * z, *biases


def lstm(
    from_input: Tensor,
    from_hidden: Tensor,
    cell: Tensor,
    input_bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> Outputs:
    """Return the next hidden state and cell (B, D) and the gates (B, 4 D)."""
    total = from_input + from_hidden
    if input_bias is not None and hidden_bias is not None:
        total = total + input_bias + hidden_bias
    i, f, g, o = total.chunk(4, 1)
    i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
    following = f * cell + i * g
    return o * torch.tanh(following), following, torch.cat((i, f, g, o), 1)


def lstm_backward(
    grad_hidden: Tensor | None,
    grad_cell: Tensor | None,
    cell: Tensor,
    following: Tensor,
    gates: Tensor,
    has_bias: bool,
) -> Outputs:
    """Return the gradients of the sum of products, the cell and the bias."""
    i, f, g, o = gates.chunk(4, 1)
    squashed = torch.tanh(following)
    grad_hidden = torch.zeros_like(following) if grad_hidden is None else grad_hidden
    grad_cell = torch.zeros_like(following) if grad_cell is None else grad_cell
    total = grad_cell + grad_hidden * o * (1 - squashed * squashed)
    grad_gates = torch.cat(
        (
            total * g * i * (1 - i),
            total * cell * f * (1 - f),
            total * i * (1 - g * g),
            grad_hidden * squashed * o * (1 - o),
        ),
        1,
    )
    return grad_gates, total * f, grad_gates.sum(0) if has_bias else None


FUSED_CELLS: dict[Any, Callable[..., Outputs]] = {
    _aten._thnn_fused_gru_cell: gru,
    _aten._thnn_fused_gru_cell_backward: gru_backward,
    _aten._thnn_fused_lstm_cell: lstm,
    _aten._thnn_fused_lstm_cell_backward_impl: lstm_backward,
}

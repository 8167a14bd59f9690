"""RNN, LSTM and GRU from scratch, unrolled in time, with control over how far gradients flow.

Weights are named and ordered as those of torch.nn. Sources: Elman (1990); Hochreiter and Schmidhuber (1997);
Cho et al. (2014), with the reset gate after the matrix as torch has it; Tallec and Ollivier (2017) for
randomised truncation. Shapes: T steps, B rows, I inputs, H hidden units, G gates, L layers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

NUM_GATES = {"rnn": 1, "gru": 3, "lstm": 4}


@dataclass(frozen=True)
class Layer:
    """The weights of one layer."""

    weight_ih: Tensor  # (G * H, I)
    weight_hh: Tensor  # (G * H, H)
    bias_ih: Tensor  # (G * H,)
    bias_hh: Tensor  # (G * H,)

    @property
    def tensors(self) -> list[Tensor]:
        """All weights of the layer."""
        return [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]


@dataclass(frozen=True)
class CarriedState:
    """The state carried from step to step."""

    h: Tensor  # (L, B, H)
    c: Tensor  # (L, B, H); only an LSTM reads it

    @classmethod
    def zeros(cls, layers: int, rows: int, hidden: int) -> CarriedState:
        """Return the state before the first step."""
        return cls(torch.zeros(layers, rows, hidden), torch.zeros(layers, rows, hidden))

    def detach(self) -> CarriedState:
        """Return the same numbers without a gradient."""
        return CarriedState(self.h.detach(), self.c.detach())


def new_layers(kind: str, inputs: int, hidden: int, layers: int, rng: Generator) -> list[Layer]:
    """Return weights drawn as torch.nn does: uniformly within 1 / sqrt(hidden) of zero."""
    bound, rows = 1 / math.sqrt(hidden), NUM_GATES[kind] * hidden

    def draw(*shape: int) -> Tensor:
        return torch.empty(shape).uniform_(-bound, bound, generator=rng)

    return [
        Layer(draw(rows, inputs if index == 0 else hidden), draw(rows, hidden), draw(rows), draw(rows))
        for index in range(layers)
    ]


def rnn_step(x: Tensor, h: Tensor, c: Tensor, layer: Layer) -> tuple[Tensor, Tensor]:
    """h = tanh(W x + b + U h + b'). `x` (B, G * H) is W x + b already, here and below."""
    return torch.tanh(x + h @ layer.weight_hh.T + layer.bias_hh), c


def gru_step(x: Tensor, h: Tensor, c: Tensor, layer: Layer) -> tuple[Tensor, Tensor]:
    """h = (1 - z) n + z h, n = tanh(W x + b + r (U h + b')); the textbook has U (r h)."""
    x_r, x_z, x_n = x.chunk(3, -1)
    u_r, u_z, u_n = (h @ layer.weight_hh.T + layer.bias_hh).chunk(3, -1)
    r, z = torch.sigmoid(x_r + u_r), torch.sigmoid(x_z + u_z)
    n = torch.tanh(x_n + r * u_n)
    return n + z * (h - n), c


def lstm_step(x: Tensor, h: Tensor, c: Tensor, layer: Layer) -> tuple[Tensor, Tensor]:
    """c = f c + i g, h = o tanh(c)."""
    i, f, g, o = (x + h @ layer.weight_hh.T + layer.bias_hh).chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


CELL_STEPS: dict[str, Callable[[Tensor, Tensor, Tensor, Layer], tuple[Tensor, Tensor]]] = {
    "rnn": rnn_step,
    "gru": gru_step,
    "lstm": lstm_step,
}


def unroll(
    kind: str,
    layers: Sequence[Layer],
    inputs: Tensor,
    state: CarriedState,
    scales: Sequence[float] | None = None,
) -> tuple[Tensor, CarriedState]:
    """Return `output` (T, B, H), the last layer's state after each step, and the state after the last step.

    `inputs` (T, B, I). `scales` has a factor for each step. It multiplies the gradient that flows from the
    step to the state before it: 1 is backpropagation through time, 0 cuts the gradient off.
    """
    step, last_h, last_c = CELL_STEPS[kind], [], []
    for layer, first_h, first_c in zip(layers, state.h, state.c, strict=True):
        h, c, outputs = first_h, first_c, []
        projected = inputs @ layer.weight_ih.T + layer.bias_ih  # all steps at once
        for index, x in enumerate(projected):
            scale = 1.0 if scales is None else scales[index]
            h, c = step(x, _scale_gradient(h, scale), _scale_gradient(c, scale), layer)
            outputs.append(h)
        inputs = torch.stack(outputs)
        last_h.append(h)
        last_c.append(c)
    return inputs, CarriedState(torch.stack(last_h), torch.stack(last_c))


def _scale_gradient(value: Tensor, scale: float) -> Tensor:
    """Return the same value with its gradient multiplied by `scale`."""
    if scale == 1:
        return value
    fixed = value.detach()
    return fixed if scale == 0 else fixed + scale * (value - fixed)


def truncation_scales(steps: int, every: int) -> list[float]:
    """Return scales that cut the gradient off once in `every` steps."""
    return [0.0 if index % every == 0 else 1.0 for index in range(steps)]


def randomly_truncated(steps: int, survival: float, rng: Generator) -> list[float]:
    """Return 1 / pi with probability pi = `survival`, else 0: the mean is 1, the full gradient's."""
    return [1 / survival if float(item) < survival else 0.0 for item in torch.rand(steps, generator=rng)]


def clip(gradients: Sequence[Tensor], threshold: float | None) -> tuple[list[Tensor], float]:
    """Return min(1, threshold / ||g||) g for all gradients g together, and ||g||; None: not clipped."""
    norm = math.sqrt(math.fsum(float(gradient.pow(2).sum()) for gradient in gradients))
    if threshold is None or norm <= threshold:
        return list(gradients), norm
    return [gradient * (threshold / norm) for gradient in gradients], norm

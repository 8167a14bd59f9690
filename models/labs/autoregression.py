"""Autoregression: a linear model of the last values of a signal predicts one or more steps ahead.

Source: Zhang et al., Dive into Deep Learning (2023), "Working with Sequences": sin(0.01 t) with noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

SIGNAL_LENGTH = 1000  # values of a signal
_WALK_STEP = 0.1  # standard deviation of one step of the random walk
_SQUARE_PERIOD = 40
SETTLED_STEPS = 50  # free-running steps after which the last true values no longer show


def _walk(times: Tensor, generator: torch.Generator) -> Tensor:
    steps = torch.randn(len(times), generator=generator, dtype=times.dtype)
    return (_WALK_STEP * steps).cumsum(0)


# Functions that return the curve without noise at the times 1 to T.
SIGNALS: Mapping[str, Callable[[Tensor, torch.Generator], Tensor]] = {
    "slow": lambda times, _: torch.sin(0.01 * times),
    "fast": lambda times, _: torch.sin(2 * math.pi * times / 50),
    "two": lambda times, _: 0.6 * torch.sin(2 * math.pi * times / 50) + 0.4 * torch.sin(0.03 * times),
    "square": lambda times, _: torch.where((times - 1) % _SQUARE_PERIOD < _SQUARE_PERIOD / 2, 1.0, -1.0),
    "walk": _walk,
}


@dataclass(frozen=True)
class Linear:
    """x_t = sum_i w_i x_(t - tau + i) + b."""

    weights: Tensor  # (tau,), for the oldest value first
    bias: Tensor  # ()

    @property
    def order(self) -> int:
        """The number of values that it reads, tau."""
        return len(self.weights)

    def __call__(self, windows: Tensor) -> Tensor:
        """Return the value after each window: (N, tau) -> (N,)."""
        return windows @ self.weights + self.bias


def signal(name: str, noise: float, seed: int, length: int = SIGNAL_LENGTH) -> tuple[Tensor, Tensor]:
    """Return a curve of SIGNALS and the same with Gaussian noise of this std: (T,) float64 each."""
    generator = torch.Generator().manual_seed(seed)
    times = torch.arange(1, length + 1, dtype=torch.float64)
    curve = SIGNALS[name](times, generator).double()
    return curve, curve + noise * torch.randn(length, generator=generator, dtype=torch.float64)


def fit(values: Tensor, order: int) -> Linear:
    """Return the least-squares fit on all windows of (T,) float64 values, of minimum norm if not unique.

    Raises ValueError unless there are more values than the `order`, which counts from 1.
    """
    if not 1 <= order < len(values):
        raise ValueError("a window must have a value, and one after it")
    windows = values[:-1].unfold(0, order, 1)  # (T - tau, tau)
    inputs = torch.cat([windows, torch.ones(len(windows), 1, dtype=values.dtype)], dim=1)
    # gelsd works with singular values: the columns of a signal without noise depend on each other.
    solution = torch.linalg.lstsq(inputs, values[order:].unsqueeze(1), driver="gelsd").solution.squeeze(1)
    return Linear(solution[:-1], solution[-1])


def ahead(model: Linear, values: Tensor, steps: int) -> Tensor:
    """Return the predictions of each value, 1 to `steps` steps ahead: (T,) -> (steps, T).

    Row k - 1 has at t the prediction from the values up to t - k; the predictions between are fed back. It is
    NaN if fewer values come before than the model reads.
    """
    predicted = values.new_full((steps, len(values)), math.nan)
    windows = values.unfold(0, model.order, 1)  # the window that ends at t has index t - tau + 1
    for index in range(min(steps, len(values) - model.order)):
        following = model(windows)
        first = model.order + index
        predicted[index, first:] = following[: len(values) - first]
        windows = torch.cat([windows[:, 1:], following.unsqueeze(1)], dim=1)
    return predicted


def free_running(model: Linear, values: Tensor, steps: int) -> Tensor:
    """Return the continuation of (T,) values by the model's own predictions alone: (k,)."""
    window, outputs = values[-model.order :], []
    for _ in range(steps):
        outputs.append(model(window.unsqueeze(0)))
        window = torch.cat([window[1:], outputs[-1]])
    return torch.cat(outputs)


def rmse(predicted: Tensor, values: Tensor) -> Tensor:
    """Return the root of the mean squared error along the last dimension: (..., T), (T,) -> (...)."""
    return (predicted - values).square().mean(dim=-1).sqrt()


@dataclass(frozen=True)
class Predicted:
    """T values of a signal, and the predictions of a model that was fitted to the first `read` values."""

    values: Tensor  # (T,)
    read: int
    order: int  # tau
    ahead: Tensor  # (K, T), see `ahead`
    free: Tensor  # (T - read,), see `free_running`
    errors: tuple[float, ...]  # K root mean squared errors on the unread values
    free_error: float
    mean_error: float  # error of predicting the mean of the read values
    noise_error: float  # error of predicting the noiseless curve


def predict(series: tuple[Tensor, Tensor], read: int, order: int, steps: int) -> Predicted:
    """Fit the first `read` values of a `signal` and predict the others, 1 to K `steps` ahead."""
    curve, values = series
    model = fit(values[:read], order)
    result, continuation = ahead(model, values, steps), free_running(model, values[:read], len(values) - read)
    unread = values[read:]
    # With many steps and a long window, the first unread values have no prediction.
    errors = tuple((result[:, read:] - unread).square().nanmean(dim=-1).sqrt().tolist())
    three_errors = [float(rmse(item, unread)) for item in (continuation, values[:read].mean(), curve[read:])]
    return Predicted(values, read, order, result, continuation, errors, *three_errors)


def facts_of(result: Predicted, steps: int) -> dict[str, float | str]:
    """Return the errors, one of them that many `steps` ahead, and where the model settles by itself."""
    settled = result.free[SETTLED_STEPS:]
    return {
        "free_running_lowest": float(settled.min()),
        "free_running_highest": float(settled.max()),
        "one_step_error": result.errors[0],
        "steps_with_less_error": sum(later < error for error, later in pairwise(result.errors)),
        "k_step_error": result.errors[steps - 1],
        "free_running_error": result.free_error,
        "mean_error": result.mean_error,
        "noise_error": result.noise_error,
    }

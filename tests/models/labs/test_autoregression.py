"""A linear autoregressive model against values that were worked out by hand."""

from __future__ import annotations

import math

import pytest
import torch

from models.labs.autoregression import SIGNAL_LENGTH, SIGNALS, Linear, ahead, fit, free_running, rmse, signal


def row(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def test_a_line_is_continued() -> None:
    values = row(1, 3, 5, 7, 9)  # x_t = x_(t-1) + 2
    model = fit(values, 1)
    assert model.weights.tolist() == pytest.approx([1])
    assert float(model.bias) == pytest.approx(2)
    assert free_running(model, values, 3).tolist() == pytest.approx([11, 13, 15])


def test_least_squares_gives_conditional_means_if_no_line_fits() -> None:
    # Pairs (0, 1), (1, 0), (0, 2): the mean after 0 is 1.5, after 1 it is 0.
    model = fit(row(0, 1, 0, 2), 1)
    assert model(row(0, 1).unsqueeze(1)).tolist() == pytest.approx([1.5, 0])


def test_predictions_are_fed_back() -> None:
    model = Linear(row(1, 1), torch.tensor(0.0, dtype=torch.float64))  # Fibonacci
    result = ahead(model, row(1, 1, 5, 0, 2), 3)
    nan = math.nan
    expected = [[nan, nan, 2, 6, 5], [nan, nan, nan, 3, 11], [nan, nan, nan, nan, 5]]
    assert torch.equal(result.nan_to_num(-1), torch.tensor(expected, dtype=torch.float64).nan_to_num(-1))


def test_unreachable_steps_have_no_prediction() -> None:
    assert ahead(Linear(row(1), row(0)[0]), row(4, 4), 5)[1:].isnan().all()


def test_ahead_and_free_running_agree_at_the_edge() -> None:
    _, values = signal("two", 0.1, 3)
    model = fit(values[:500], 7)
    free = free_running(model, values[:500], 20)
    steps = torch.arange(20)
    assert torch.allclose(ahead(model, values, 20)[steps, 500 + steps], free)


@pytest.mark.parametrize("name", SIGNALS)
def test_a_signal_is_its_curve_and_noise_and_the_same_for_one_seed(name: str) -> None:
    curve, values = signal(name, 0.2, 1)
    assert len(curve) == len(values) == SIGNAL_LENGTH
    assert 0.18 < float((values - curve).std()) < 0.22
    assert torch.equal(values, signal(name, 0.2, 1)[1])
    assert not torch.equal(values, signal(name, 0.2, 2)[1])
    assert torch.equal(*signal(name, 0, 1))


def test_two_values_are_enough_for_a_sine_without_noise() -> None:
    # sin(a + d) = 2 cos(d) sin(a) - sin(a - d)
    _, values = signal("slow", 0, 0)
    model = fit(values[:600], 2)
    assert model.weights.tolist() == pytest.approx([-1, 2 * math.cos(0.01)], abs=1e-4)
    assert float(rmse(free_running(model, values[:600], 400), values[600:])) < 1e-3


def test_the_square_wave_needs_half_a_period() -> None:
    _, values = signal("square", 0, 0)
    assert values[:41].tolist() == [1] * 20 + [-1] * 20 + [1]
    errors = [
        float(rmse(free_running(fit(values[:600], n), values[:600], 400), values[600:])) for n in (10, 20)
    ]
    assert errors[0] > 0.9
    assert errors[1] < 1e-6


def test_rmse_is_the_root_of_the_mean_squared_error() -> None:
    assert float(rmse(row(0, 0), row(3, -4))) == pytest.approx(math.sqrt(12.5))


@pytest.mark.parametrize("order", [0, 4])
def test_a_window_needs_one_value_and_a_next_value(order: int) -> None:
    with pytest.raises(ValueError, match="window"):
        fit(row(1, 2, 3, 4), order)

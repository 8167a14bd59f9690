"""Learning rate and teacher-forcing ratio against the formulas of their papers."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from models.training.loop.optimizer import learning_rate, teacher_forcing_ratio
from models.training.recipe.sections import OptimizerConfig, TeacherForcingConfig


def rates(schedule: str, total: int = 12) -> list[float]:
    settings = OptimizerConfig(schedule=schedule, learning_rate=0.8, warmup_steps=4, final_ratio=0.25)
    return [learning_rate(settings, step, total) for step in range(1, total + 1)]


def test_the_learning_rate_climbs_then_falls_on_a_cosine() -> None:
    curve = rates("cosine")
    assert curve[:4] == pytest.approx([0.2, 0.4, 0.6, 0.8])
    assert curve[7] == pytest.approx(0.8 * (0.25 + 0.75 / 2))  # half way down
    assert curve[-1] == pytest.approx(0.2)
    assert curve[3:] == sorted(curve[3:], reverse=True)


def test_the_linear_schedule_falls_by_the_same_amount_each_step() -> None:
    curve = rates("linear")
    assert curve[3:] == pytest.approx([0.8 - i * 0.6 / 8 for i in range(9)])


def test_the_transformers_schedule_falls_with_the_root_of_the_step() -> None:
    curve = rates("inverse_sqrt", 64)
    assert curve[3] == pytest.approx(0.8)
    assert curve[15] == pytest.approx(0.4)  # four times the warm-up
    assert curve[63] == pytest.approx(0.2)


def test_a_constant_rate_stays() -> None:
    assert rates("constant")[3:] == [0.8] * 9


def test_without_warm_up_the_first_learning_rate_is_near_the_peak() -> None:
    settings = OptimizerConfig(learning_rate=0.8, warmup_steps=0)
    assert learning_rate(settings, 1, 1000) == pytest.approx(0.8, rel=1e-3)
    assert learning_rate(settings, 2000, 1000) == pytest.approx(0.8 * settings.final_ratio)


def ratios(schedule: str, start: float, end: float, steps: int = 0, total: int = 101) -> list[float]:
    settings = TeacherForcingConfig(schedule=schedule, start=start, end=end, steps=steps)
    return [teacher_forcing_ratio(settings, step, total) for step in range(1, total + 1)]


@pytest.mark.parametrize("schedule", ["linear", "exponential", "inverse_sigmoid"])
def test_teacher_forcing_falls_from_start_to_end_and_stays(schedule: str) -> None:
    curve = ratios(schedule, 0.9, 0.2, steps=51)
    assert curve[0] == pytest.approx(0.9)
    assert curve[50:] == pytest.approx([0.2] * 51)
    assert curve == sorted(curve, reverse=True)
    assert all(one > other for one, other in pairwise(curve[:51]))


def test_a_constant_ratio_stays_at_its_start() -> None:
    assert set(ratios("constant", 0.5, 1.0)) == {0.5}


def test_linear_decay_loses_the_same_at_each_step() -> None:
    assert ratios("linear", 1.0, 0.0) == pytest.approx([1 - i / 100 for i in range(101)])


def test_exponential_decay_is_a_power() -> None:
    k = 0.1 ** (1 / 100)
    assert ratios("exponential", 1.0, 0.1) == pytest.approx([k**i for i in range(101)])


def test_inverse_sigmoid_decay_is_the_papers_curve() -> None:
    """k / (k + exp(i / k)) with k = e^5: half way down at i = 5 k, shown here over 10 k steps."""
    k = math.exp(5)

    def curve(i: float) -> float:
        return k / (k + math.exp(i / k))

    result = ratios("inverse_sigmoid", 1.0, 0.0)
    assert result[50] == pytest.approx(0.5, abs=0.01)
    for step in (10, 25, 50, 75, 90):
        assert result[step] == pytest.approx(curve(step / 100 * 10 * k) / curve(0))

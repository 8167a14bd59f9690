"""Attention as a soft dictionary: kernels, weights and scores against values computed by hand."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from models.labs.attention import (
    KERNELS,
    NUM_QUERIES,
    additive,
    dot,
    edit_distance,
    entropy,
    general,
    kernel_weights,
    leave_one_out_error,
    regression,
    scaled_dot,
    score_keys,
)
from models.networks.attention import AlignmentScore
from models.networks.recurrent.config import SCORE_TITLES

every_kernel = pytest.mark.parametrize("kernel", KERNELS)


def numbers(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def close(weights: Tensor, *expected: float) -> None:
    torch.testing.assert_close(
        torch.atleast_1d(weights), numbers(*expected), rtol=0, atol=1e-12, equal_nan=True
    )


@pytest.mark.parametrize(
    ("kernel", "heights"),
    [
        ("gaussian", (1, math.exp(-1 / 8), math.exp(-0.5), math.exp(-2))),
        ("boxcar", (1, 1, 1, 0)),
        ("epanechnikov", (1, 3 / 4, 0, 0)),
        ("triangular", (1, 1 / 2, 0, 0)),
    ],
)
def test_a_kernel_has_its_form(kernel: str, heights: tuple[float, ...]) -> None:
    """The distances are 0, 1, 2 and 4, the bandwidth 2; the weights are the heights over their sum."""
    distances = numbers(0, 1, 2, 4)
    close(KERNELS[kernel](distances / 2), *heights)
    close(kernel_weights(distances, kernel, 2), *(height / sum(heights) for height in heights))


@every_kernel
def test_weights_are_a_convex_combination_or_none(kernel: str) -> None:
    queries, keys = torch.linspace(-3, 9, 49, dtype=torch.float64), numbers(0, 0.5, 1, 4, 4, 6)
    answers, weights = regression(queries, keys, keys, kernel, 0.8)
    sums = weights.sum(dim=-1)
    assert bool((weights >= 0).all())
    assert bool((((sums - 1).abs() < 1e-12) | (sums == 0)).all())
    assert torch.equal(answers.isnan(), sums == 0)
    assert bool(answers.isnan().any()) == (kernel != "gaussian")
    reached = answers[~answers.isnan()]
    assert reached.min() >= 0
    assert reached.max() <= 6


def test_kernel_regression_matches_sums_by_hand() -> None:
    keys, values = numbers(1, 2, 3), numbers(10, 20, 60)
    answers, weights = regression(numbers(1.5, 2), keys, values, "boxcar", 0.5)
    close(weights[0], 0.5, 0.5, 0)
    close(answers, 15, 20)
    answers, weights = regression(numbers(1.5), keys, values, "triangular", 2)
    close(weights[0], 3 / 7, 3 / 7, 1 / 7)  # 0.75, 0.75, 0.25
    close(answers, 150 / 7)


@pytest.mark.parametrize("kernel", ["boxcar", "epanechnikov", "triangular"])
def test_a_query_that_reaches_no_key_has_no_answer(kernel: str) -> None:
    answers, weights = regression(numbers(5, 1), numbers(1, 2), numbers(3, 4), kernel, 1)
    close(weights[0], 0, 0)
    close(answers, math.nan, 3.5 if kernel == "boxcar" else 3)


def test_a_gaussian_reaches_every_key_however_far() -> None:
    """exp of minus half a million squared is 0 in floating point, and 0 / 0 would follow."""
    answers, weights = regression(numbers(0), numbers(1e6, 1e6 + 1), numbers(3, 4), "gaussian", 1)
    close(weights[0], 1, 0)
    close(answers, 3)


def test_the_boxcar_forgives_rounding_at_its_edge() -> None:
    close(kernel_weights(numbers(0.4 - 0.1, 0.31), "boxcar", 0.3), 1, 0)


@every_kernel
def test_a_very_wide_kernel_gives_the_mean(kernel: str) -> None:
    answers, _ = regression(numbers(0.3, 2), numbers(0, 1, 2), numbers(1, 5, 9), kernel, 1e6)
    torch.testing.assert_close(answers, numbers(5, 5), rtol=1e-5, atol=0)


def test_each_value_is_left_out_of_its_own_prediction() -> None:
    keys, values = numbers(0, 1, 2), numbers(0, 3, 0)
    # The middle value is predicted as 0, the others as 3: three errors of 3.
    assert leave_one_out_error(keys, values, "boxcar", 1) == pytest.approx(3)
    # 0 is predicted by 3 and 0 alike, 3 by twice 0.
    assert leave_one_out_error(keys, values, "boxcar", 2) == pytest.approx(math.sqrt((1.5**2 * 2 + 9) / 3))
    assert leave_one_out_error(keys, values, "boxcar", 0.5) == math.inf
    assert leave_one_out_error(keys, values, "gaussian", 0.05) == pytest.approx(
        math.sqrt((9 + 9 + 9) / 3), rel=1e-6
    )


def test_entropy_runs_from_zero_to_the_logarithm() -> None:
    close(entropy(numbers(1, 0, 0)), 0)
    close(entropy(numbers(0.25, 0.25, 0.25, 0.25)), math.log(4))
    close(entropy(numbers(0, 0)), 0)


@pytest.mark.parametrize(
    ("one", "other", "expected"), [("kitten", "sitting", 3), ("", "abc", 3), ("house", "house", 0)]
)
def test_the_edit_distance_counts_changed_letters(one: str, other: str, expected: int) -> None:
    assert edit_distance(one, other) == edit_distance(other, one) == expected


def test_attention_scores_match_products_by_hand() -> None:
    query, keys = numbers(1, 2, 2, 0), torch.stack([numbers(1, 1, 1, 1), numbers(0, -1, 0, 5)])
    close(dot(query, keys), 5, -2)
    close(scaled_dot(query, keys), 2.5, -1)
    swap = torch.eye(4, dtype=torch.float64).flip(0)  # the query read backwards: 0, 2, 2, 1
    close(general(query, keys, swap), 5, 3)
    first, second = torch.eye(4, dtype=torch.float64)[:2].split(1)  # each picks out one entry
    close(additive(query, keys, (first, second, numbers(3))), 3 * math.tanh(2), 0)


def test_scores_are_those_of_the_networks() -> None:
    query, keys = torch.randn(6).double(), torch.randn(3, 6).double()
    networks = {kind: AlignmentScore(kind, 6, 5).double() for kind in SCORE_TITLES}
    bahdanau, luong = networks["additive"], networks["general"]
    torch.nn.init.zeros_(bahdanau.query.bias)
    matrices = (bahdanau.query.weight, bahdanau.key.weight, bahdanau.energy.weight[0])
    result = {
        "additive": additive(query, keys, matrices),
        "dot": dot(query, keys),
        "scaled_dot": scaled_dot(query, keys),
        "general": general(query, keys, luong.key.weight),
    }
    assert result.keys() == networks.keys()
    for kind, network in networks.items():
        expected = network(query[None, None], network.keys(keys[None]))[0, 0]
        torch.testing.assert_close(result[kind], expected)


@pytest.mark.parametrize("width", [4, 64, 256])
def test_a_dot_product_spreads_like_the_root_of_the_width(width: int) -> None:
    assert score_keys("dot", width, 10, 0).deviation == pytest.approx(math.sqrt(width), rel=0.15)
    assert score_keys("general", width, 10, 0).deviation == pytest.approx(math.sqrt(width), rel=0.15)
    assert score_keys("scaled_dot", width, 10, 0).deviation == pytest.approx(1, rel=0.15)
    assert score_keys("additive", width, 10, 0).deviation < 1


def test_scaling_makes_the_entropy_of_softmax_independent_of_the_width() -> None:
    two_wide, wide = score_keys("dot", 2, 10, 0), score_keys("dot", 256, 10, 0)
    assert two_wide.entropy > 1.5
    assert wide.entropy < 0.3
    assert wide.largest > 0.9
    assert score_keys("scaled_dot", 256, 10, 0).entropy == pytest.approx(
        score_keys("scaled_dot", 2, 10, 0).entropy, abs=0.1
    )
    torch.testing.assert_close(score_keys("scaled_dot", 256, 10, 0).scores * 16, wide.scores)


def test_draws_are_those_of_their_seed() -> None:
    one, other = score_keys("dot", 8, 5, 1), score_keys("dot", 16, 5, 1)
    assert torch.equal(one.values, other.values)
    assert not torch.equal(one.scores, score_keys("dot", 8, 5, 2).scores)
    close(one.weights.sum(), 1)
    assert NUM_QUERIES > 1
    with pytest.raises(ValueError, match="'cosine'"):
        score_keys("cosine", 8, 5, 1)

"""The order of units by hand, and against numpy's own correlation."""

from __future__ import annotations

import numpy as np
import pytest

from models.inspection.units import (
    TOKEN_CLASSES,
    chance_correlation,
    class_membership,
    correlation,
    positions,
    saturation,
    spread,
    tokens_left,
)


def test_saturation_counts_the_steps_at_either_end() -> None:
    gate = np.array([[0.05, 0.5, 0.95], [0.01, 0.92, 0.99], [0.2, 0.5, 0.91], [0.09, 0.1, 0.9]])
    shut, opened = saturation(gate)
    assert shut.tolist() == [0.75, 0, 0]
    assert opened.tolist() == [0, 0.25, 0.75]


def test_the_spread_is_from_the_smallest_to_the_largest() -> None:
    assert spread(np.array([[1.0, 0.0], [-1.0, 0.5]])).tolist() == [2.0, 0.5]


def test_correlations_are_those_of_pearson() -> None:
    random = np.random.default_rng(0)
    values, goal = random.normal(size=(9, 5)), random.normal(size=9)
    expected = [np.corrcoef(values[:, unit], goal)[0, 1] for unit in range(5)]
    assert correlation(values, goal) == pytest.approx(expected)


def test_a_constant_has_no_correlation() -> None:
    values = np.array([[1.0, 2.0], [1.0, 3.0]])
    assert correlation(values, np.array([0.0, 1.0])) == pytest.approx([0, 1])
    assert correlation(values, np.array([1.0, 1.0])).tolist() == [0, 0]


def test_several_texts_distinguish_units_that_count_up_and_down() -> None:
    lengths = [4, 7, 2]
    up, down = positions(lengths), tokens_left(lengths)
    assert up.tolist()[:4] == [0, 1, 2, 3]
    assert down.tolist()[:5] == [3, 2, 1, 0, 6]
    values = np.stack((up, down), axis=1)
    with_position, with_rest = correlation(values, up), correlation(values, down)
    assert with_position[0] == pytest.approx(1)
    assert with_rest[1] == pytest.approx(1)
    assert abs(with_position[1]) < 0.9
    alone = np.stack((positions([5]), tokens_left([5])), axis=1)
    assert correlation(alone, positions([5])) == pytest.approx([1, -1])


@pytest.mark.parametrize(
    ("name", "members", "others"),
    [
        ("word", ("▁casa", "Ġhouse", "▁"), ("ción", ".", "</s>")),
        ("punctuation", (".", "¿", "▁¿", "?!"), ("a", "▁casa", "▁", "</s>", "$")),
        ("vowel", ("a", "é", "U"), ("b", "ae", "</s>", "1", "")),
        ("end", ("</s>",), ("<", "<unk>", "s>", "a")),
    ],
)
def test_tokens_have_a_class(name: str, members: tuple[str, ...], others: tuple[str, ...]) -> None:
    assert class_membership((*members, *others), TOKEN_CLASSES[name]).tolist() == [1] * len(members) + [
        0
    ] * len(others)


def test_the_best_correlation_by_chance_grows_with_the_number_of_units() -> None:
    random = np.random.default_rng(0)
    few, many = random.normal(size=(30, 4)), random.normal(size=(30, 400))
    goal = positions([30])
    assert 0 < chance_correlation(few, goal) < chance_correlation(many, goal) < 1
    assert chance_correlation(many, goal) == chance_correlation(many, goal)
    assert chance_correlation(np.ones((5, 3)), positions([5])) == 0
    assert chance_correlation(np.ones((5, 0)), positions([5])) == 0

"""Validation pairs that training never sees."""

from __future__ import annotations

import random

import pytest

from models.corpus.pairs import DataError, split_pairs
from tests.refusals import refused

PAIRS = tuple((f"source {n // 2}", f"target {n}") for n in range(1000))  # two targets each


@pytest.mark.parametrize("share", [0.01, 0.05, 0.2, 0.5])
def test_the_share_is_kept_and_no_source_is_on_both_sides(share: float) -> None:
    split = split_pairs(PAIRS, share)
    assert len(split.valid) == pytest.approx(share * 1000, abs=1)
    assert sorted(split.train + split.valid) == sorted(PAIRS)
    assert {source for source, _ in split.train}.isdisjoint(source for source, _ in split.valid)


def test_sources_that_differ_in_case_or_spacing_stay_together() -> None:
    pairs = [(f"{word}{n}", "x") for n in range(100) for word in ("Straße ", " STRASSE  ", "strasse ")]
    split = split_pairs(pairs, 0.3)
    assert len(split.valid) == 90
    assert {source.split()[1] for source, _ in split.train}.isdisjoint(s.split()[1] for s, _ in split.valid)


def test_the_split_depends_on_the_seed_and_not_on_the_order() -> None:
    split = split_pairs(PAIRS, 0.1, seed=3)
    shuffled = list(PAIRS)
    random.Random(0).shuffle(shuffled)
    again = split_pairs(shuffled, 0.1, seed=3)
    assert set(split.valid) == set(again.valid)
    assert set(split.valid) != set(split_pairs(PAIRS, 0.1, seed=4).valid)


def test_the_order_of_the_file_is_kept() -> None:
    split = split_pairs(PAIRS, 0.1)
    assert list(split.train) == [pair for pair in PAIRS if pair in set(split.train)]


def test_adding_a_pair_moves_few_others() -> None:
    before, after = split_pairs(PAIRS, 0.1), split_pairs((*PAIRS, ("new", "pair")), 0.1)
    assert len(set(before.valid) & set(after.valid)) >= 0.9 * len(before.valid)


@pytest.mark.parametrize("share", [0.001, 0.5])
def test_two_sources_give_one_on_each_side(share: float) -> None:
    split = split_pairs([("a", "x"), ("b", "y")], share)
    assert (len(split.train), len(split.valid)) == (1, 1)


@pytest.mark.parametrize("seed", range(10))
def test_a_source_that_fills_the_file_is_trained_on(seed: int) -> None:
    pairs = [*(("often", str(n)) for n in range(99)), ("once", "x")]
    assert split_pairs(pairs, 0.05, seed).valid == (("once", "x"),)


def test_the_fewest_pairs_are_held_out_where_every_source_has_too_many() -> None:
    pairs = [(source, str(n)) for source, count in (("a", 40), ("b", 30), ("c", 30)) for n in range(count)]
    assert {len(split_pairs(pairs, 0.05, seed).valid) for seed in range(10)} == {30}


@pytest.mark.parametrize("pairs", [[], [("a", "x")], [("a", "x"), ("A ", "y")]])
def test_fewer_than_two_sources_are_refused(pairs: list[tuple[str, str]]) -> None:
    with refused(DataError, "too_few_different_sources"):
        split_pairs(pairs)


@pytest.mark.parametrize("share", [0, -0.1, 0.51, 1, float("nan")])
def test_an_impossible_share_is_refused(share: float) -> None:
    with refused(DataError, "share_out_of_range", 0.5):
        split_pairs(PAIRS, share)


def test_any_text_can_be_split() -> None:
    assert len(split_pairs([("\ud83d", "x"), ("", "y"), ("我", "z")], 0.34).valid) == 1

"""Laws of a split in three: no overlap, every omission counted, sources kept together."""

from __future__ import annotations

import random
from itertools import groupby

import pytest

from models.corpus.pairs import DataError, Pair
from models.corpus.public.cleaning import Parts, key, pronunciation_key, split_parts
from tests.refusals import refused


def chained(count: int) -> list[Pair]:
    """Pairs in which sources share targets and targets share sources, as in a real corpus."""
    rng = random.Random(3)
    pairs = {}
    for number in range(count):
        pairs[f"Source {rng.randrange(count // 2)}.", f"Target {rng.randrange(count)}."] = None
        if number % 10 == 0:
            pairs[f"source {number}", f"TARGET {number + 1}!"] = None
    return list(pairs)


def split(pairs: list[Pair], held_out: int = 50, *, disjoint_targets: bool = True, seed: int = 1) -> Parts:
    return split_parts(pairs, held_out, key, disjoint_targets=disjoint_targets, seed=seed)


@pytest.mark.parametrize("disjoint_targets", [True, False])
def test_no_key_of_a_source_or_target_is_in_two_parts(disjoint_targets: bool) -> None:
    parts = split(chained(2000), 200, disjoint_targets=disjoint_targets)
    for side in (0, 1) if disjoint_targets else (0,):
        train, valid, test = (
            {key(pair[side]) for pair in part} for part in (parts.train, parts.valid, parts.test)
        )
        assert not train & valid
        assert not train & test
        assert not valid & test
    assert (len(parts.valid), len(parts.test)) == (200, 200)
    if not disjoint_targets:
        train, test = ({target for _, target in part} for part in (parts.train, parts.test))
        assert train & test, "nothing was to be tested"


def test_pairs_outside_every_part_are_counted() -> None:
    pairs = chained(2000)
    parts = split(pairs)
    pairs_of_parts = [*parts.train, *parts.valid, *parts.test]
    assert len(pairs_of_parts) == len(set(pairs_of_parts))
    assert set(pairs_of_parts) < set(pairs)
    assert parts.dropped == len(pairs) - len(pairs_of_parts) > 0
    secret = {key(target) for _, target in (*parts.valid, *parts.test)}
    assert all(key(target) in secret for _, target in set(pairs) - set(pairs_of_parts))
    assert split(pairs, disjoint_targets=False).dropped == 0


def test_references_of_a_source_stand_together_in_their_order() -> None:
    pairs = chained(2000)
    index = {pair: number for number, pair in enumerate(pairs)}
    parts = split(pairs)
    several = 0
    for part in (parts.train, parts.valid, parts.test):
        runs = [(source, list(group)) for source, group in groupby(part, key=lambda pair: pair[0])]
        assert len(runs) == len({source for source, _ in runs})
        assert all(places == sorted(places) for places in ([index[pair] for pair in run] for _, run in runs))
        several += sum(len(run) > 1 for _, run in runs)
    assert several > 100


def test_the_split_depends_on_the_seed_and_the_texts_alone() -> None:
    pairs = chained(2000)
    shuffled = random.Random(4).sample(pairs, len(pairs))
    parts, again = split(pairs), split(shuffled)
    assert [set(part) for part in (parts.train, parts.valid, parts.test)] == [
        set(part) for part in (again.train, again.valid, again.test)
    ]
    assert parts == split(pairs)
    assert set(split(pairs, seed=2).test) != set(parts.test)


def test_a_small_corpus_keeps_most_pairs_for_training() -> None:
    parts = split([(f"s{number}", f"t{number}") for number in range(100)], held_out=2000)
    assert (len(parts.train), len(parts.valid), len(parts.test)) == (80, 10, 10)


@pytest.mark.parametrize("count", [1, 9])
def test_too_few_pairs_are_refused(count: int) -> None:
    with refused(DataError, "too_few_pairs", count):
        split([(f"s{number}", f"t{number}") for number in range(count)])


def test_a_word_stays_with_its_form_with_an_apostrophe() -> None:
    pairs = [
        (f"blip{letter}{end}", "B") for letter in "abcdefghijklmnopqrstuvwxyz" for end in ("", "'", "s", "s'")
    ]
    parts = split_parts(pairs, 20, pronunciation_key, disjoint_targets=False)
    words = [{pronunciation_key(word) for word, _ in part} for part in (parts.train, parts.valid, parts.test)]
    assert sum(map(len, words)) == len(set().union(*words)) == 52

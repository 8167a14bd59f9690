"""Words near each other, against what was counted by hand."""

from __future__ import annotations

import torch

from models.labs.word_vectors import Words

TEXT = "a b c. A b! d"


def words(least: int = 1) -> Words:
    return Words.of(TEXT, least)


def test_words_are_numbered_by_frequency() -> None:
    result = words()
    assert result.vocabulary == ("a", "b", "c", "d")
    assert result.counts.tolist() == [2, 2, 1, 1]
    assert result.ids.tolist() == [0, 1, 2, 0, 1, 3]
    assert result.sentence.tolist() == [0, 0, 0, 1, 1, 2]
    assert words(2).vocabulary == ("a", "b")
    assert words(9).vocabulary == ()


def test_pairs_stay_within_a_sentence_and_within_reach() -> None:
    def named(reach: int) -> list[str]:
        result = words()
        return sorted(
            "".join(result.vocabulary[index] for index in pair) for pair in result.pairs(reach).tolist()
        )

    assert named(1) == ["ab", "ab", "ba", "ba", "bc", "cb"]
    assert named(2) == ["ab", "ab", "ac", "ba", "ba", "bc", "ca", "cb"]
    assert named(9) == named(2)


def test_contexts_have_the_words_before_and_after() -> None:
    middle, around = words().contexts(2)
    # Columns: one before, two before, one after, two after. The last word stands alone and has no context.
    assert dict(enumerate(zip(middle.tolist(), around.tolist(), strict=True))) == {
        0: (0, [-1, -1, 1, 2]),
        1: (1, [0, -1, 2, -1]),
        2: (2, [1, 0, -1, -1]),
        3: (0, [-1, -1, 1, -1]),
        4: (1, [0, -1, -1, -1]),
    }


def test_a_bag_of_words_counts_neighbouring_words() -> None:
    assert words().together(1).tolist() == [[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]


def test_frequent_words_are_randomly_left_out() -> None:
    """The mean share of two words is 1/2, so a word of share 4/5 stays with probability sqrt(5/8)."""
    text = "common common common common rare. " * 500
    thinned = Words.of(text, 1).subsample(torch.Generator().manual_seed(1))
    stayed = torch.bincount(thinned.ids, minlength=2)
    assert abs(int(stayed[0]) / 2000 - 0.625**0.5) < 0.03
    assert int(stayed[1]) == 500

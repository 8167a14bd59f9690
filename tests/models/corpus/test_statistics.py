"""Statistics compared with counts by hand, and their cost."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from models.corpus import statistics
from models.corpus.pairs import DataError, Pair
from models.corpus.statistics import (
    MAX_BINS,
    CorpusStatistics,
    HistogramBin,
    Lengths,
    SideStatistics,
    corpus_statistics,
    in_tokens,
    sample,
    token_lengths,
)
from models.tokenization.tokenizer import Tokenizer
from tests.refusals import refused
from tests.work import calls

PAIRS = (
    ("uno dos", "one two"),
    ("uno dos", "one two"),
    ("uno dos", "a pair"),
    ("no", "no"),
    ("uno dos tres", "one two three"),
)
VALID = (("no", "nope"), ("uno dos", "a pair"), ("cuatro", "four"), ("uno dos", "one two"))


def tokenized(pairs: Sequence[Pair], tokenizer: Tokenizer) -> CorpusStatistics:
    return in_tokens(corpus_statistics(pairs), token_lengths(sample(pairs), tokenizer))


def test_pairs_are_counted() -> None:
    counted = corpus_statistics(PAIRS)
    assert (counted.pairs, counted.duplicates) == (5, 1)
    assert (counted.sources_with_several_targets, counted.identical) == (1, 1)
    assert (counted.valid_pairs, counted.leaked_sources) == (None, None)


def test_lengths_are_counted_in_characters() -> None:
    source = corpus_statistics(PAIRS).source
    assert source == SideStatistics(
        Lengths(2, 7, 12, 12, tuple(HistogramBin(n, n, {2: 1, 7: 3, 12: 1}.get(n, 0)) for n in range(2, 13))),
        tokens=None,
        unknown_rate=None,
        tokenized=0,
    )


def test_lengths_in_tokens_leave_out_the_end_token() -> None:
    tokenizer = Tokenizer.train(["uno dos one two"], "word", 100)
    counted = tokenized(PAIRS, tokenizer)
    assert counted.source.tokens is not None
    assert (counted.source.tokens.minimum, counted.source.tokens.median, counted.source.tokens.maximum) == (
        1,
        2,
        3,
    )
    assert counted.source.unknown_rate == pytest.approx(2 / 10)  # no, tres
    assert counted.source.tokenized == 5
    assert counted.target.unknown_rate == pytest.approx(4 / 10)  # a, pair, no, three


def test_a_tokenizer_of_all_characters_has_no_unknown_tokens() -> None:
    tokenizer = Tokenizer.train([text for pair in PAIRS for text in pair], "bpe", 100)
    counted = tokenized(PAIRS, tokenizer)
    assert (counted.source.unknown_rate, counted.target.unknown_rate) == (0, 0)


def test_leakage_counts_validation_pairs() -> None:
    counted = corpus_statistics(PAIRS, valid=VALID)
    assert (counted.valid_pairs, counted.leaked_sources) == (4, 3)
    clean = corpus_statistics(PAIRS, valid=())
    assert (clean.valid_pairs, clean.leaked_sources) == (0, 0)


def test_quantiles_are_lengths_that_occur() -> None:
    pairs = [("x" * n, "y") for n in range(1, 101)]
    characters = corpus_statistics(pairs).source.characters
    assert (characters.minimum, characters.median, characters.percentile_95, characters.maximum) == (
        1,
        50,
        95,
        100,
    )
    assert [bar.count for bar in characters.bins] == [5] * 20
    assert corpus_statistics([("abc", "d")]).source.characters == Lengths(
        3, 3, 3, 3, (HistogramBin(3, 3, 1),)
    )


@pytest.mark.parametrize("lengths", [[1], [5] * 9, [0, 3], [*range(1, 300)], [3] * 99 + [5000], [10, 10_000]])
def test_every_text_is_in_one_bar(lengths: list[int]) -> None:
    bins = corpus_statistics([("x" * n, "y") for n in lengths]).source.characters.bins
    assert sum(bar.count for bar in bins) == len(lengths)
    for bar in bins:
        assert bar.count == sum(bar.first <= n <= bar.last for n in lengths)
    assert len(bins) <= MAX_BINS
    assert all(before.last + 1 == after.first for before, after in itertools.pairwise(bins))


def test_one_long_text_does_not_merge_the_bars_of_the_others() -> None:
    bins = corpus_statistics([("x" * n, "y") for n in [*range(1, 21)] * 10 + [5000]]).source.characters.bins
    assert sum(bar.count > 0 for bar in bins) >= 10


def test_an_empty_corpus_is_refused() -> None:
    with refused(DataError, "no_pairs_to_count"):
        corpus_statistics([])


def test_tokenized_pairs_are_spread_over_the_whole_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "MAX_TOKENIZED_PAIRS", 100)
    tokenizer = Tokenizer.train(["a"], "character", 100)
    counted = tokenized([("a", "a")] * 500 + [("bb", "a")] * 500, tokenizer).source
    assert (counted.tokenized, counted.unknown_rate) == (100, pytest.approx(2 / 3))
    assert counted.tokens is not None
    assert (counted.tokens.minimum, counted.tokens.maximum) == (1, 2)
    assert sum(bar.count for bar in counted.characters.bins) == 1000


class CountingText(str):
    """A text that counts the comparisons with others."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        CountingText.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_the_work_for_a_pair_does_not_grow_with_the_corpus() -> None:
    def pairs(count: int) -> list[tuple[str, str]]:
        return [
            (CountingText(f"Frase {number}"), CountingText(f"Sentence {number}")) for number in range(count)
        ]

    def work(size: int) -> tuple[int, int]:
        train, valid, CountingText.compared = pairs(size), pairs(size // 2), 0
        return calls(lambda: corpus_statistics(train, valid=valid)), CountingText.compared

    (few_calls, few_comparisons), (many_calls, many_comparisons) = work(1000), work(2000)
    assert many_calls < 2.5 * few_calls
    assert 0 < many_comparisons < 2.5 * few_comparisons

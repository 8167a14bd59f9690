"""The preview of data: figures that can be counted by hand, and texts that stay texts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from demo.training.data_preview.component import DataView
from demo.training.work.data_previews import SHOWN_MALFORMED, SHOWN_PAIRS, DataPreview, preview
from demo.training.work.source import Prepared
from models.corpus import statistics
from models.corpus.files.table import Malformed
from models.corpus.pairs import Pair
from models.corpus.statistics import corpus_statistics
from models.tokenization.tokenizer import Tokenizer
from models.training.recipe.sections import TokenizerConfig

CHARACTERS = TokenizerConfig(kind="character", vocab_size=100, min_frequency=1)
TRAIN: tuple[Pair, ...] = (("ab", "ba"), ("abc", "cba"), ("abc", "cba"), ("abcd", "dcba"), ("aa", "aa"))
VALID: tuple[Pair, ...] = (("ABC", "cba"), ("bb", "bb"))
DATA = Prepared(TRAIN, VALID, "7 pairs from x.tsv", encoding="UTF-8")
EVIL = "<img src=x onerror=alert(1)></script>${alert(1)}"


def data_preview(
    prepared: Prepared = DATA,
    tokenizer: Tokenizer | None = None,
    max_pieces: int = 100,
    settings: TokenizerConfig = CHARACTERS,
) -> DataPreview:
    counted = corpus_statistics(prepared.train, valid=prepared.valid)
    return preview(prepared, counted, settings, tokenizer, max_pieces)[0]


def test_the_figures_are_those_of_the_pairs() -> None:
    data = data_preview()
    statistics = data.statistics
    assert (statistics.pairs, statistics.valid_pairs) == (5, 2)
    assert statistics.identical == 1
    lengths = statistics.source.tokens
    assert lengths is not None
    assert (lengths.minimum, lengths.median, lengths.maximum) == (2, 3, 4)
    assert [bin.count for bin in lengths.bins if bin.count] == [2, 2, 1]
    assert data.vocab_size == Tokenizer.train(["abcd"], "character").vocab_size
    assert (data.description, data.encoding) == ("7 pairs from x.tsv", "UTF-8")


@pytest.mark.parametrize(("max_pieces", "count"), [(5, 5), (4, 4), (3, 2), (2, 0)])
def test_pairs_that_are_too_long_are_counted(max_pieces: int, count: int) -> None:
    """Tokens include the end token: "abcd" has five."""
    assert data_preview(max_pieces=max_pieces).trainable == count


def test_token_counts_of_many_pairs_are_called_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "MAX_TOKENIZED_PAIRS", 100)
    many = replace(DATA, train=(("ab", "ba"), ("abcdef", "a")) * 300)
    data = data_preview(many, max_pieces=5)
    assert (data.statistics.pairs, data.statistics.source.tokenized) == (600, 100)
    # Every sixth pair is one of the first kind.
    assert data.trainable == 600
    assert [note for note in data.notes if "estimated from 100 pairs" in note]
    assert not [note for note in data_preview().notes if "estimated" in note]


def test_a_leak_is_named() -> None:
    leaking = replace(DATA, valid=(("abc", "x"), ("bb", "bb")))
    (note,) = (note for note in data_preview(leaking).notes if "occur" in note)
    assert note.startswith("Validation sources that occur in training: 1")


@pytest.mark.parametrize(("pairs", "start"), [(1, "One pair alone"), (2, "Only 2 pairs"), (20, "")])
def test_few_pairs_for_validation_are_named(pairs: int, start: str) -> None:
    valid = tuple((f"source {index}", f"target {index}") for index in range(pairs))
    notes = [note for note in data_preview(replace(DATA, valid=valid)).notes if "stays flat" in note]
    assert [note.startswith(start) for note in notes] == [True] * bool(start)


def test_unknown_tokens_of_a_checkpoint_are_named() -> None:
    of_another_alphabet = Tokenizer.train(["abxyz"], "character")
    notes = data_preview(tokenizer=of_another_alphabet).notes
    assert any("of the source tokens are not in the vocabulary" in note for note in notes)
    assert any("of the target tokens are not in the vocabulary" in note for note in notes)
    assert not any("not in the vocabulary" in note for note in data_preview().notes)


def test_many_pairs_with_equal_sides_are_named() -> None:
    assert not any("same text on both sides" in note for note in data_preview().notes)  # one in five
    same = replace(DATA, train=TRAIN[:2] + TRAIN[4:])
    assert "Pairs with the same text on both sides: 1." in data_preview(same).notes


def test_examples_are_spread_over_the_whole_corpus() -> None:
    many = tuple((f"a{i}", f"b{i}") for i in range(1000))
    pairs = data_preview(replace(DATA, train=many)).pairs
    assert len(pairs) == SHOWN_PAIRS
    assert [int(source[1:]) for source, _ in pairs] == list(range(0, 1000, 125))


def test_malformed_rows_are_all_counted_and_the_first_shown() -> None:
    rows = tuple(Malformed(line, "one column", EVIL) for line in range(1, 101))
    data = data_preview(replace(DATA, malformed=rows, malformed_count=5000))
    assert (len(data.malformed), data.malformed_count) == (SHOWN_MALFORMED, 5000)


def test_a_vocabulary_that_is_too_small_is_named() -> None:
    small = data_preview(settings=TokenizerConfig(kind="character", vocab_size=100, min_frequency=1000))
    assert any("100% of the source tokens are not in the vocabulary" in note for note in small.notes)
    assert small.statistics.source.unknown_rate == 1


def test_the_preview_is_json_with_unchanged_texts() -> None:
    data = replace(
        DATA, train=((EVIL, "x"), *TRAIN), malformed=(Malformed(1, "torn", EVIL),), malformed_count=1
    )
    sent = DataView().postprocess(data_preview(data))
    assert sent["state"] == "data"
    received = json.loads(json.dumps(sent))
    assert received["pairs"][0] == [EVIL, "x"]
    assert received["malformed"] == [{"line": 1, "reason": "torn", "text": EVIL}]
    assert received["statistics"]["pairs"] == 6


@pytest.mark.parametrize(("value", "state"), [(None, "empty"), ("", "empty"), (EVIL, "problem")])
def test_a_preview_without_data_shows_a_reason_or_nothing(value: str | None, state: str) -> None:
    assert DataView().postprocess(value) == {"state": state, "problem": value or ""}


def test_values_of_the_browser_are_not_read() -> None:
    assert DataView().preprocess({"state": "data", "pairs": [[EVIL, EVIL]]}) is None

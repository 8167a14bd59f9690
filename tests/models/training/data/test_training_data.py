"""Batches of like length that hold every pair once, and sources as people type them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from models.corpus.files.reading import Reading
from models.corpus.pairs import DataError
from models.training.data.batches import Size, bucket_by_length, few_sizes
from models.training.data.training_data import EncodedPairs, as_people_type, load_corpus
from models.training.recipe.sections import DataConfig
from tests.refusals import refused

Ids = list[list[int]]


def sides(count: int, seed: int = 0) -> tuple[Ids, Ids]:
    rng = random.Random(seed)
    sources, targets = ([[9] * rng.randint(1, 20) for _ in range(count)] for _ in range(2))
    return sources, targets


def lengths(side: Ids) -> list[int]:
    return [len(ids) for ids in side]


@pytest.mark.parametrize("count", [1, 2, 50, 333])
@pytest.mark.parametrize("batch_tokens", [1, 20, 64, 10_000])
@pytest.mark.parametrize("shuffled", [True, False])
def test_batches_hold_every_pair_once_within_the_limit(count: int, batch_tokens: int, shuffled: bool) -> None:
    sources, targets = sides(count)
    batches = list(
        bucket_by_length(
            lengths(sources), lengths(targets), batch_tokens, random.Random(1) if shuffled else None
        )
    )
    assert sorted(i for batch in batches for i in batch) == list(range(count))
    for batch in batches:
        longest = max(len(side[i]) for side in (sources, targets) for i in batch)
        assert len(batch) * longest <= batch_tokens or len(batch) == 1


def test_an_empty_corpus_has_no_batches() -> None:
    assert list(bucket_by_length([], [], 10, random.Random(0))) == []


def test_a_pair_longer_than_the_limit_is_alone() -> None:
    targets = [[9]] * 5 + [[9] * 50] + [[9]] * 5
    batches = list(bucket_by_length(lengths(targets), lengths(targets), 10, None))
    assert [5] in batches
    assert len(batches) == 2


def test_batches_waste_little_on_padding() -> None:
    _, targets = sides(500)
    padded = sum(
        len(batch) * max(len(targets[i]) for i in batch)
        for batch in bucket_by_length(lengths(targets), lengths(targets), 200, random.Random(0))
    )
    assert padded < 1.1 * sum(len(target) for target in targets)


def test_the_order_depends_on_the_generator_alone() -> None:
    pairs = sides(100)
    first, again, other = (
        list(bucket_by_length(*map(lengths, pairs), 64, random.Random(seed))) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_short_and_long_batches_are_mixed() -> None:
    """Ordered by length, the batches would show all short pairs first in every epoch."""
    _, targets = sides(300)
    batches = bucket_by_length(lengths(targets), lengths(targets), 64, random.Random(0))
    first = [len(targets[batch[0]]) for batch in batches]
    assert first != sorted(first)


def test_one_long_source_does_not_split_what_follows() -> None:
    sources, targets = [[9] * 50] + [[9]] * 4, [[9]] + [[9, 9]] * 4
    assert list(bucket_by_length(lengths(sources), lengths(targets), 60, None)) == [[0], [1, 2, 3, 4]]


def test_batches_change_from_epoch_to_epoch() -> None:
    """Pairs of one length are dealt again, not only their batches."""
    targets = [[9] * 4] * 40
    first, other = (
        bucket_by_length(lengths(targets), lengths(targets), 40, random.Random(seed)) for seed in (1, 2)
    )
    assert {frozenset(batch) for batch in first} != {frozenset(batch) for batch in other}


def batch_sizes(targets: list[int], sources: list[int], batch_tokens: int, seed: int = 0) -> list[Size]:
    batches = bucket_by_length(sources, targets, batch_tokens, random.Random(seed))
    return [Size(len(b), max(sources[i] for i in b), max(targets[i] for i in b)) for b in batches]


def test_the_sizes_of_batches_are_those_of_every_epoch() -> None:
    """A device therefore captures each size only once."""
    sources, targets = map(lengths, sides(500))
    first, second = (sorted(batch_sizes(targets, sources, 100, seed)) for seed in (1, 2))
    assert first == second


@pytest.mark.parametrize("limit", [1, 2, 8, 24, 1000])
def test_a_few_sizes_hold_all_batches(limit: int) -> None:
    sources, targets = map(lengths, sides(500))
    sizes = batch_sizes(targets, sources, 100)
    few = few_sizes(sizes, limit)
    assert len(few) == min(limit, len(set(sizes)))
    assert all(any(few_size.holds(size) for few_size in few) for size in sizes)
    assert [size.tokens for size in few] == sorted(size.tokens for size in few)


def test_a_few_sizes_cost_little_padding() -> None:
    rng = random.Random(0)
    sources = [max(1, round(rng.lognormvariate(1.93, 0.42))) for _ in range(5000)]
    targets = [max(1, round(length * rng.lognormvariate(0, 0.15))) for length in sources]
    sizes = batch_sizes(targets, sources, 2000)
    few = few_sizes(sizes, 24)
    filled = sum(next(few_size.tokens for few_size in few if few_size.holds(size)) for size in sizes)
    assert filled < 1.1 * sum(size.tokens for size in sizes)


def test_a_size_unlike_the_others_stays_alone() -> None:
    long = Size(1, 500, 3)
    few = few_sizes([long, *(Size(100 // width, width, width) for width in range(3, 30))], 8)
    assert long in few
    assert all(size.source < 30 for size in few if size != long)


def test_a_generated_corpus_has_the_requested_sizes() -> None:
    corpus = load_corpus(DataConfig(train_size=30, valid_size=7), Path(), seed=3)
    assert (len(corpus.train), len(corpus.valid)) == (30, 7)
    assert corpus == load_corpus(DataConfig(train_size=30, valid_size=7), Path(), seed=3)
    assert corpus != load_corpus(DataConfig(train_size=30, valid_size=7), Path(), seed=4)


def test_a_corpus_of_files_is_relative_to_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("Hello.\tHola.\n")
    (tmp_path / "valid.tsv").write_text("Bread.\tPan.\n")
    config = DataConfig(task="translation", train="train.tsv", valid="valid.tsv", swap=True)
    corpus = load_corpus(config, tmp_path, seed=0)
    assert (corpus.train, corpus.valid) == ((("Hola.", "Hello."),), (("Pan.", "Bread."),))
    with refused(DataError, "file_unreadable", "train.tsv"):
        load_corpus(config, tmp_path / "elsewhere", seed=0)


def test_files_of_one_corpus_have_one_order(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("Where is the dog?\t¿Dónde está el perro?\n", encoding="utf-8")
    (tmp_path / "valid.tsv").write_text("Bread.\tPan.\n")
    config = DataConfig(
        task="translation",
        train="train.tsv",
        valid="valid.tsv",
        swap=False,
        source_language="es",
        target_language="en",
    )
    corpus = load_corpus(config, tmp_path, seed=0)
    assert (corpus.train[0][1], corpus.valid) == ("Where is the dog?", (("Pan.", "Bread."),))


def test_skipped_rows_are_reported(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("Bread.\tPan.\nlonely\nTea.\t\n")
    (tmp_path / "valid.tsv").write_text("Bread.\tPan.\n")
    readings: list[Reading] = []
    corpus = load_corpus(
        DataConfig(task="translation", train="train.tsv", valid="valid.tsv"),
        tmp_path,
        0,
        on_reading=readings.append,
    )
    assert corpus.train == (("Bread.", "Pan."),)
    assert "2" in corpus.note
    assert [reading.name for reading in readings] == ["train.tsv", "valid.tsv"]
    assert [row.line for row in readings[0].select().malformed] == [2, 3]


def typed(text: str) -> set[str]:
    return {as_people_type(text, random.Random(seed)) for seed in range(300)}


def test_typed_variants_lack_capitals_marks_or_accents() -> None:
    variants = typed("¿Está Ana?")
    assert {"¿Está Ana?", "está ana", "esta ana", "Está Ana", "¿Esta Ana?"} <= variants
    assert {variant.lower().strip("¿?").replace("á", "a") for variant in variants} == {"esta ana"}


def test_typed_variants_keep_the_tilde_of_a_letter() -> None:
    assert all("ñ" in variant.lower() for variant in typed("Ñandú, mañana."))
    assert any("u, ma" in variant for variant in typed("Ñandú, mañana."))


@pytest.mark.parametrize("text", ["...", "¿?", "!", "."])
def test_a_text_of_marks_never_becomes_empty(text: str) -> None:
    assert "" not in typed(text)


def test_a_supplement_is_repeated_in_training_and_absent_from_validation(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "recipe").mkdir()
    (tmp_path / "data" / "train.tsv").write_text("one\tuno\n", encoding="utf-8")
    (tmp_path / "data" / "valid.tsv").write_text("two\tdos\n", encoding="utf-8")
    (tmp_path / "recipe" / "more.tsv").write_text("three\ttres\n", encoding="utf-8")
    config = DataConfig(
        task="translation",
        train="train.tsv",
        valid="valid.tsv",
        swap=True,
        supplement="more.tsv",
        supplement_repeats=3,
    )
    corpus = load_corpus(config, tmp_path / "data", 0, tmp_path / "recipe")
    assert corpus.train == (("uno", "one"), *[("tres", "three")] * 3)
    assert corpus.valid == (("dos", "two"),)


def test_the_usual_length_is_the_99th_percentile() -> None:
    lengths = [3] * 50 + [4] * 49 + [90]
    encoded = EncodedPairs([], [], [], lengths, [])
    assert encoded.usual_length == 4
    assert EncodedPairs([], [], [], [7], []).usual_length == 7

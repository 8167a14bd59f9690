"""Laws of every generated task: its options, its pairs, its splits."""

from __future__ import annotations

import random
import string

import pytest

from models.corpus.generated.all_tasks import (
    GENERATED,
    MAX_GENERATED_PAIRS,
    MIN_SOURCES,
    generate,
    generate_split,
)
from models.corpus.pairs import DataError
from models.tokenization.tokenizer import Tokenizer
from tests.grids import full_only
from tests.refusals import Refusal, refused

NAMES = sorted(GENERATED)
# Small enough that every source is drawn.
SMALL = {
    "reversal": {"shortest": 2, "longest": 3, "alphabet": 4},
    "copy": {"shortest": 1, "longest": 4, "alphabet": 3},
    "sort": {"longest": 5, "alphabet": 3},
    "dates": {"formats": 5, "first_year": 2023, "last_year": 2024},
    "numbers": {"digits": 3},
    "arithmetic": {"digits": 1, "terms": 3, "operators": 2},
    "histories": {"states": 2, "actions": 2, "horizon": 3},
}


def test_the_generated_tasks_are_offered() -> None:
    assert set(GENERATED) == {"reversal", "copy", "sort", "dates", "numbers", "arithmetic", "histories"}
    assert set(SMALL) == set(GENERATED)


@pytest.mark.parametrize("name", NAMES)
class TestEveryTask:
    def test_the_defaults_of_a_task_are_within_its_bounds(self, name: str) -> None:
        task = GENERATED[name]
        assert task.check(task.defaults) == task.defaults
        assert task.name == name
        assert task.description.endswith(".")

    def test_the_example_of_a_task_has_only_letters_of_its_pairs(self, name: str) -> None:
        task, (source, target) = GENERATED[name], GENERATED[name].example
        pairs = dict(generate(name, 3000, random.Random(0)))
        assert set(source + target) <= set("".join(pairs) + "".join(pairs.values()))
        assert task.make.__module__.startswith("models.corpus.generated.")

    def test_the_tokenizer_of_a_task_reads_and_writes_every_token(self, name: str) -> None:
        pairs = generate(name, 2000, random.Random(1))
        tokenizer = Tokenizer.train((text for pair in pairs for text in pair), GENERATED[name].tokenizer, 100)
        for text in {text for pair in generate(name, 200, random.Random(2)) for text in pair}:
            assert not tokenizer.encode(text).unknown
            assert tokenizer.decode(tokenizer.encode(text).ids) == text

    def test_a_source_has_one_target(self, name: str) -> None:
        pairs = set(generate(name, 5000, random.Random(3), SMALL[name]))
        assert len({source for source, _ in pairs}) == len(pairs)

    @pytest.mark.slow
    def test_the_sources_of_a_task_are_counted_right(self, name: str) -> None:
        drawn = {source for source, _ in generate(name, 120_000, random.Random(4), SMALL[name])}
        assert len(drawn) == GENERATED[name].sources(GENERATED[name].check(SMALL[name]))

    def test_the_pairs_of_a_task_depend_on_the_seed_alone(self, name: str) -> None:
        first, again, other = (generate(name, 50, random.Random(seed)) for seed in (1, 1, 2))
        assert first == again != other

    def test_options_at_their_bounds_make_pairs(self, name: str) -> None:
        task = GENERATED[name]
        for options in (
            {option.name: option.low for option in task.options},
            {option.name: option.high for option in task.options},
        ):
            for source, target in generate(name, 20, random.Random(5), options):
                assert source.strip() == source
                assert target.strip() == target
                assert source
                assert target

    def test_an_option_outside_its_bounds_is_refused(self, name: str) -> None:
        for option in GENERATED[name].options:
            low, high = (f"{bound:{option.thousands}}" for bound in (option.low, option.high))
            for value in (option.low - 1, option.high + 1, 2.5, True, "3"):
                with refused(DataError, "not_whole_within", low, high):
                    generate(name, 1, random.Random(0), {option.name: value})  # type: ignore[dict-item]

    def test_an_option_that_does_not_exist_is_refused(self, name: str) -> None:
        with refused(DataError, "no_such_option", "temperature"):
            generate(name, 1, random.Random(0), {"temperature": 1})

    def test_no_validation_source_is_trained_on(self, name: str) -> None:
        split = generate_split(name, 3000, 200, random.Random(6))
        trained = {source for source, _ in split.train}
        sources = [source for source, _ in split.valid]
        assert len(split.train) == 3000
        assert len(set(sources)) == len(sources)
        assert trained.isdisjoint(sources)
        assert (len(sources) == 200) == (split.note == "")

    @pytest.mark.slow
    @pytest.mark.parametrize("seeds", [range(3), *full_only([range(3, 20)])], ids=len)
    def test_validation_has_no_token_that_training_lacks(self, name: str, seeds: range) -> None:
        for seed in seeds:  # some seeds hold zero out
            split = generate_split(name, 500, 200, random.Random(seed), SMALL[name])
            texts = (text for pair in split.train for text in pair)
            tokenizer = Tokenizer.train(texts, GENERATED[name].tokenizer, 100)
            assert split.valid
            for text in {text for pair in split.valid for text in pair}:
                assert not tokenizer.encode(text).unknown


def test_a_small_task_gets_a_smaller_validation_set_and_a_message() -> None:
    split = generate_split("histories", 1000, 500, random.Random(0))
    assert 0.1 < len(split.valid) / 273 < 0.3
    assert split.note == (
        f"{len(split.valid)} of 273 different sources are kept for validation instead of 500; "
        "training sees none of them."
    )


@pytest.mark.parametrize(
    ("task", "options", "sources"),
    [
        ("copy", {"longest": 1}, 26),
        ("numbers", {"digits": 1}, 10),
        ("histories", {"states": 1, "actions": 1}, 3),
    ],
)
def test_a_task_with_too_few_sources_is_refused(task: str, options: dict[str, int], sources: int) -> None:
    with refused(DataError, "too_few_sources", sources, MIN_SOURCES):
        generate_split(task, 100, 10, random.Random(0), options)
    assert generate(task, 100, random.Random(0), options)


def test_short_strings_are_trained_on_although_some_are_held_out() -> None:
    split = generate_split("copy", 20_000, 500, random.Random(0))
    letters = {source for source, _ in split.train if len(source) == 1}
    assert 13 <= len(letters) < 26


def test_a_split_depends_on_the_seed_alone() -> None:
    first, again, other = (generate_split("sort", 50, 10, random.Random(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_a_task_that_does_not_exist_is_refused() -> None:
    with refused(DataError, "no_such_task", "revresal"):
        generate("revresal", 1, random.Random(0))


@pytest.mark.parametrize("count", [0, -1, MAX_GENERATED_PAIRS + 1, 1.5, True])
def test_an_impossible_count_is_refused(count: int) -> None:
    with refused(DataError, "not_whole_within", "count", 1, "1,000,000"):
        generate("copy", count, random.Random(0))
    with refused(DataError, "not_whole_within", "valid_size"):
        generate_split("copy", 10, count, random.Random(0))


@pytest.mark.parametrize(
    ("task", "options", "refusal"),
    [
        (
            "copy",
            {"shortest": 5, "longest": 4},
            ("options_out_of_order", "Shortest string", 5, "Longest string", 4),
        ),
        ("reversal", {"shortest": 13}, ("options_out_of_order", "Shortest string", 13, "Longest string", 12)),
        (
            "dates",
            {"first_year": 2001, "last_year": 2000},
            ("options_out_of_order", "First year", 2001, "Last year", 2000),
        ),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    task: str, options: dict[str, int], refusal: Refusal
) -> None:
    with refused(DataError, *refusal):
        generate(task, 1, random.Random(0), options)


def test_reversal_is_what_recipes_have_always_been_trained_on() -> None:
    rng = random.Random(7)
    letters = string.ascii_lowercase
    texts = ["".join(rng.choices(letters, k=rng.randint(1, 12))) for _ in range(100)]
    expected = tuple((text, text[::-1]) for text in texts)
    assert generate("reversal", 100, random.Random(7)) == expected


def test_reversal_pairs_are_mirror_images_of_every_length() -> None:
    pairs = generate("reversal", 500, random.Random(0), {"longest": 5})
    assert len(pairs) == 500
    assert all(target == source[::-1] for source, target in pairs)
    assert {len(source) for source, _ in pairs} == {1, 2, 3, 4, 5}


def test_numbers_with_commas_count_as_other_sources() -> None:
    task = GENERATED["numbers"]
    assert task.sources({"digits": 4, "commas": 0}) == 10_000
    assert task.sources({"digits": 4, "commas": 1}) == 10_000 + 9_000


def test_a_training_set_too_small_to_learn_from_is_refused() -> None:
    with refused(DataError, "training_set_too_small", 1):
        generate_split("sort", 1, 10, random.Random(0), {"shortest": 20, "longest": 20})

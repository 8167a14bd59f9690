"""Each task's rule, by answers worked out by hand."""

from __future__ import annotations

import datetime
import random
import re

import pytest

from models.corpus.generated.all_tasks import GENERATED, generate
from models.corpus.generated.dates import DATE_FORMATS, date_text
from models.corpus.generated.numbers import in_words, value


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"),
        (7, "seven"),
        (10, "ten"),
        (13, "thirteen"),
        (20, "twenty"),
        (21, "twenty-one"),
        (99, "ninety-nine"),
        (100, "one hundred"),
        (101, "one hundred and one"),
        (340, "three hundred and forty"),
        (999, "nine hundred and ninety-nine"),
        (1000, "one thousand"),
        (1004, "one thousand and four"),
        (1100, "one thousand one hundred"),
        (1204, "one thousand two hundred and four"),
        (10_050, "ten thousand and fifty"),
        (100_000, "one hundred thousand"),
        (115_018, "one hundred and fifteen thousand and eighteen"),
        (1_000_000, "one million"),
        (1_000_001, "one million and one"),
        (2_000_300, "two million three hundred"),
        (1_002_003_004, "one billion two million three thousand and four"),
        (999_000_000_000_012, "nine hundred and ninety-nine trillion and twelve"),
    ],
)
def test_numbers_are_spelled_in_the_british_style(number: int, words: str) -> None:
    assert in_words(number) == words


def test_numbers_are_written_with_and_without_commas() -> None:
    pairs = generate("numbers", 2000, random.Random(0), {"digits": 6})
    assert all(in_words(int(source.replace(",", ""))) == target for source, target in pairs)
    long = [source for source, _ in pairs if len(source.replace(",", "")) > 3]
    assert 0.4 < sum("," in source for source in long) / len(long) < 0.6
    assert all(re.fullmatch(r"\d{1,3}(,\d{3})+", source) for source in long if "," in source)
    plain = generate("numbers", 500, random.Random(0), {"commas": 0})
    assert not any("," in source for source, _ in plain)


def test_small_numbers_are_as_common_as_large_ones() -> None:
    pairs = generate("numbers", 4000, random.Random(0), {"digits": 4, "commas": 0})
    shares = [sum(len(source) == digits for source, _ in pairs) / 4000 for digits in (1, 2, 3, 4)]
    assert shares == pytest.approx([0.25] * 4, abs=0.04)


def test_a_date_is_written_in_every_form() -> None:
    assert [date_text(datetime.date(2021, 3, 3), form) for form in DATE_FORMATS] == [
        "3 March 2021",
        "March 3, 2021",
        "03.03.2021",
        "3 Mar 2021",
        "Mar 3, 2021",
        "2021/03/03",
        "3rd of March 2021",
        "Wednesday, 3 March 2021",
        "Wednesday, March 3rd, 2021",
        "03-MAR-2021",
    ]


@pytest.mark.parametrize(
    ("day", "ordinal"),
    [
        (1, "1st"),
        (2, "2nd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (30, "30th"),
    ],
)
def test_ordinals_have_english_suffixes(day: int, ordinal: str) -> None:
    assert date_text(datetime.date(2020, 1, day), "{day}{suffix}") == ordinal


def test_dates_stay_within_their_years_and_forms() -> None:
    pairs = generate("dates", 3000, random.Random(0), {"formats": 1, "first_year": 2000, "last_year": 2001})
    assert {target[:4] for _, target in pairs} == {"2000", "2001"}
    assert "2000-02-29" in {target for _, target in pairs}
    assert all(re.fullmatch(r"\d{1,2} [A-Z][a-z]+ \d{4}", source) for source, _ in pairs)
    assert all(datetime.date.fromisoformat(target).isoformat() == target for _, target in pairs)


@pytest.mark.parametrize(
    ("terms", "operators", "result"),
    [
        ([47, 85], "+", 132),
        ([3, 10], "-", -7),
        ([2, 3, 4], "+*", 14),
        ([2, 3, 4], "*-", 2),
        ([9, 2, 3, 4], "-**", -15),
        ([1, 2, 3], "--", -4),
    ],
)
def test_products_bind_more_tightly(terms: list[int], operators: str, result: int) -> None:
    assert value(terms, list(operators)) == result


def test_sums_are_what_python_says() -> None:
    pairs = generate("arithmetic", 1000, random.Random(0), {"digits": 3, "terms": 4, "operators": 3})
    assert all(str(eval(source)) == target for source, target in pairs)  # digits and operators alone
    assert {len(re.split(r"[-+*]", source)) for source, _ in pairs} == {2, 3, 4}
    assert {sign for source, _ in pairs for sign in re.findall(r"[-+*]", source)} == set("+-*")
    assert not re.search(r"(?<!\d)0\d", " ".join(source for source, _ in pairs))


@pytest.mark.parametrize(("operators", "signs"), [(1, "+"), (2, "+-"), (3, "+-*")])
def test_the_operators_are_plus_then_minus_then_times(operators: int, signs: str) -> None:
    pairs = generate("arithmetic", 300, random.Random(0), {"operators": operators})
    assert {letter for source, _ in pairs for letter in source if not letter.isdigit()} == set(signs)


def test_histories_alternate_and_end_in_a_state() -> None:
    pairs = generate("histories", 1000, random.Random(0))
    assert all(source == target for source, target in pairs)
    assert all(re.fullmatch(r"s[0-2]( a[0-2] s[0-2]){0,2}", source) for source, _ in pairs)
    assert {source.count("a") for source, _ in pairs} == {0, 1, 2}


@pytest.mark.parametrize(
    ("task", "target"), [("reversal", "dellornu"), ("copy", "unrolled"), ("sort", "dellnoru")]
)
def test_each_task_has_its_own_target_for_a_word(task: str, target: str) -> None:
    assert GENERATED[task].example == ("unrolled", target)


def test_strings_have_the_requested_lengths_and_letters() -> None:
    pairs = generate("sort", 1000, random.Random(0), {"shortest": 2, "longest": 4, "alphabet": 3})
    assert {len(source) for source, _ in pairs} == {2, 3, 4}
    assert {letter for source, _ in pairs for letter in source} == set("abc")
    assert all(sorted(source) == list(target) for source, target in pairs)

"""Words and their differences: examples, and laws for any two texts."""

from __future__ import annotations

import random
import unicodedata

import pytest

from demo.widgets.answers.word_diff import DiffWord, split_words, token_divergence, word_diff
from tests.work import calls

ALPHABETS = (
    "ab c",
    "a b'’-.,!?  \t\n",
    "我喜 a。",
    "e\u0301 nñ\u0303x",
    "👩\u200d💻🏽 k\u200c",
    "हि न्दी",
    "ab",
)


def diff(reference: str, other: str) -> tuple[DiffWord, ...]:
    return word_diff(split_words(reference), split_words(other))


def kinds(reference: str, other: str) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in diff(reference, other)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the cat sat.", ("the", " cat", " sat", ".")),
        ("  two\t spaces\n", ("two", " spaces")),
        ("don't rock’n’roll well-known", ("don't", " rock’n’roll", " well-known")),
        ("'quoted' -x a- b", ("'", "quoted", "'", " -", "x", " a", "-", " b")),
        ("a--b", ("a", "-", "-", "b")),
        ("¿Qué? 3.5%", ("¿", "Qué", "?", " 3", ".", "5", "%")),
        ("我喜欢 Python 3。", ("我", "喜", "欢", " Python", " 3", "。")),
        ("ラーメンを食べる", tuple("ラーメンを食べる")),
        ("か\u3099く", ("か\u3099", "く")),
        ("e\u0301te\u0301", ("e\u0301te\u0301",)),
        ("हिन्दी है", ("हिन्दी", " है")),
        ("한국어 단어", ("한국어", " 단어")),
        ("می\u200cخواهم", ("می\u200cخواهم",)),
        ("👩\u200d💻 👍🏽!", ("👩\u200d💻", " 👍🏽", "!")),
        ("snake_case <b>", ("snake_case", " <", "b", ">")),
        ("", ()),
        (" \n", ()),
    ],
)
def test_a_text_is_split_into_words_and_marks(text: str, words: tuple[str, ...]) -> None:
    assert split_words(text) == words


def test_equal_texts_have_no_differences() -> None:
    assert diff("the cat", "the cat") == (DiffWord("the", "same"), DiffWord(" cat", "same"))
    assert diff("", "") == ()


def test_every_kind_of_difference_is_named() -> None:
    assert kinds("the cat sat", "the cat sat down") == [
        ("same", "the"),
        ("same", " cat"),
        ("same", " sat"),
        ("added", " down"),
    ]
    assert kinds("the old cat", "the cat") == [("same", "the"), ("missing", " old"), ("same", " cat")]
    assert diff("the cat sat", "the dog sat") == (
        DiffWord("the", "same"),
        DiffWord(" dog", "changed", "cat"),
        DiffWord(" sat", "same"),
    )


def test_changed_words_are_paired_in_order_and_others_added_or_missing() -> None:
    assert diff("a x y b", "a p b") == (
        DiffWord("a", "same"),
        DiffWord(" p", "changed", "x"),
        DiffWord(" y", "missing"),
        DiffWord(" b", "same"),
    )
    assert kinds("a x b", "a p q b")[1:3] == [("changed", " p"), ("added", " q")]


def test_a_word_keeps_its_space_behind_a_missing_first_word() -> None:
    assert kinds("the cat", "cat") == [("missing", "the"), ("same", " cat")]
    assert kinds("我喜", "喜") == [("missing", "我"), ("same", "喜")]


def test_the_space_before_a_mark_is_kept_and_is_no_difference() -> None:
    assert kinds("go now !", "go now!") == [("same", "go"), ("same", " now"), ("same", "!")]


def test_a_decomposed_accent_is_no_difference() -> None:
    (piece,) = diff("\u00e9t\u00e9", "e\u0301te\u0301")
    assert piece == DiffWord("e\u0301te\u0301", "same")


def test_case_is_a_difference() -> None:
    assert kinds("The", "the") == [("changed", "the")]


def test_one_chinese_character_more_is_one_piece() -> None:
    different = [piece for piece in diff("我喜欢吃苹果。", "我很喜欢吃苹果。") if piece.kind != "same"]
    assert different == [DiffWord("很", "added")]


def test_all_words_are_added_to_or_missing_from_an_empty_text() -> None:
    assert kinds("", "a b") == [("added", "a"), ("added", " b")]
    assert kinds("a b", "") == [("missing", "a"), ("missing", " b")]


def test_a_common_word_counts_in_a_long_text_too() -> None:
    first, *rest = word_diff(["the"] * 250, ["x", *["the"] * 250])
    assert first == DiffWord("x", "added")
    assert {piece.kind for piece in rest} == {"same"}


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_both_texts_can_be_restored_from_their_difference(alphabet: str) -> None:
    rng = random.Random(alphabet)

    def squeezed(text: str) -> str:
        return unicodedata.normalize("NFC", "".join(text.split()))

    for _ in range(300):
        reference, other = ("".join(rng.choices(alphabet, k=rng.randint(0, 14))) for _ in range(2))
        for text in (reference, other):
            assert "".join(split_words(text)) == " ".join(text.split())
        pieces = diff(reference, other)
        now = "".join(piece.text for piece in pieces if piece.kind != "missing")
        was = "".join(piece.was or piece.text for piece in pieces if piece.kind != "added")
        assert now.strip() == " ".join(other.split())
        assert squeezed(was) == squeezed(reference)
        assert all(bool(piece.was) == (piece.kind == "changed") for piece in pieces)


def test_a_text_of_one_repeated_character_is_compared_quickly() -> None:
    def work(length: int) -> int:
        return calls(lambda: word_diff(["我"] * length, ["我"] * (length - length // 5)))

    assert work(200) < 5 * work(100)  # the square, and not the cube


@pytest.mark.parametrize(
    ("one", "other", "index"),
    [
        ((), (), None),
        ((4, 5, 3), (4, 5, 3), None),
        ((4, 5, 3), (4, 6, 3), 1),
        ((4, 5), (4, 5, 3), 2),
        ((4, 5, 3), (4, 5), 2),
        ((), (3,), 0),
        ((None,), (), 0),
        (("a", "b"), ("b", "b"), 0),
    ],
)
def test_the_first_different_token_is_found(
    one: tuple[object, ...], other: tuple[object, ...], index: int | None
) -> None:
    assert token_divergence(one, other) == index
    assert token_divergence(other, one) == index

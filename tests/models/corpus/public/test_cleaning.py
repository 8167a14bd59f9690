"""Cleaning of published files: the characters, the pairs, and what is left out."""

from __future__ import annotations

import sys

import pytest

from models.corpus.pairs import DataError
from models.corpus.public.cleaning import (
    MAX_SENTENCE_TOKENS,
    clean_pronunciations,
    clean_sentences,
    clean_transliterations,
    key,
    normalize_sentence,
    syllables,
    tokens,
)
from tests.refusals import refused


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  Two   words ", "Two words"),
        ("Ca\u00a0coûte 5\u202f€\u2009!", "Ca coûte 5 € !"),
        ("so\u00adft, ze\u200bro, \ufeffmark", "soft, zero, mark"),
        ("e\u0301te\u0301", "été"),
        ("‘It’s “so”’", "'It's \"so\"'"),
        ("1998–2001", "1998-2001"),
        ("\u200b", ""),
    ],
)
def test_a_text_is_normalized(text: str, expected: str) -> None:
    assert normalize_sentence(text) == expected


def test_curly_quotes_may_stay() -> None:
    assert normalize_sentence("“行”", straight_quotes=False) == "“行”"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't go, well-known Émile!", ["Don't", "go", ",", "well-known", "Émile", "!"]),
        ("'tis 3.5", ["'", "tis", "3", ".", "5"]),
        ("我有iPhone。", ["我", "有", "iPhone", "。"]),
    ],
)
def test_tokens_are_words_han_characters_and_marks(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_a_key_is_blind_to_case_and_marks_alone() -> None:
    assert key("Wait, WHERE?") == key("wait where") == key("¡Wait! Where…")
    assert key("wait") != key("waits")
    assert key("我 走。") == key("我走") != key("我跑")
    assert key("?!") == "?!" != key("...")


def test_sentences_of_both_editions_are_read() -> None:
    text = "Go on.\tSigue.\nGo on.\tContinúa.\tCC-BY 2.0 Attribution: #1 & #2\r\n\n"
    cleaner = clean_sentences(text, "spa.txt", "spa")
    assert cleaner.pairs() == (("Go on.", "Sigue."), ("Go on.", "Continúa."))
    assert (cleaner.lines, dict(cleaner.dropped)) == (2, {})


def test_omitted_rows_are_counted_by_reason() -> None:
    long = " ".join(["word"] * (MAX_SENTENCE_TOKENS + 1))
    rows = [
        "Go on.\tSigue.",
        "Go on. \tSigue.",
        "Taxi\tTaxi",
        f"Long.\t{long}",
        f"{long}\tLargo.",
        "No\t\u200b",
    ]
    cleaner = clean_sentences("\n".join(rows), "spa.txt", "spa")
    assert cleaner.pairs() == (("Go on.", "Sigue."),)
    assert dict(cleaner.dropped) == {
        "the same pair again": 1,
        "a copy of its source": 1,
        "more than 40 tokens": 2,
        "no text": 1,
    }


def test_as_many_tokens_as_allowed_are_kept() -> None:
    text = " ".join(["word"] * MAX_SENTENCE_TOKENS)
    assert clean_sentences(f"{text}\tx", "spa.txt", "spa").pairs() == ((text, "x"),)


@pytest.mark.parametrize("row", ["one column", "a\tb\tc\td", "\tb", "a\t "])
def test_a_file_of_another_format_is_refused(row: str) -> None:
    good = [f"Sentence {number}.\tFrase {number}." for number in range(200)]
    few = clean_sentences("\n".join([*good, row, row]), "spa.txt", "spa")
    assert len(few.pairs()) == 200
    assert dict(few.dropped) == {"not in the format of the file": 2}
    with refused(DataError, "publisher_changed_format", "spa.txt") as excinfo:
        clean_sentences("\n".join(good[:150] + [row] * 3), "spa.txt", "spa").pairs()
    assert "line 151" in str(excinfo.value)


def test_a_file_without_pairs_is_refused() -> None:
    with refused(DataError, "archive_without_pair"):
        clean_sentences("\n\n", "spa.txt", "spa").pairs()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我們在這裡等.", "我们在这里等。"),
        ("他說: 「真的嗎?」", "他说：「真的吗？」"),
        ("我 很 好 ！", "我很好！"),
        ("她看著窗外,笑了", "她看着窗外，笑了"),
        ("著名的土著作家很顯著", "著名的土著作家很显著"),
        ("我用 Linux 3.5", "我用 Linux 3.5"),
        ("“好”。", "“好”。"),
    ],
)
def test_chinese_is_simplified_and_its_marks_are_full_width(text: str, expected: str) -> None:
    pytest.importorskip("opencc", reason="see requirements-dev.txt")
    assert clean_sentences(f"It is so.\t{text}", "cmn.txt", "cmn").pairs() == (("It is so.", expected),)


def test_only_chinese_needs_opencc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opencc", None)
    with refused(DataError, "opencc_missing"):
        clean_sentences("Go.\t走。", "cmn.txt", "cmn")
    assert clean_sentences("Go.\tVe.", "spa.txt", "spa").pairs() == (("Go.", "Ve."),)


def test_pronunciations_lose_their_stress_and_comments() -> None:
    text = (
        ";;; a dictionary\nblorp B L AO1 R P # name\nblorp(2) B L AO0 R P\nblorp(3) B L ER1 P\n'zat Z AE2 T\n"
    )
    cleaner = clean_pronunciations(text, "cmudict.dict")
    assert cleaner.pairs() == (("blorp", "B L AO R P"), ("blorp", "B L ER P"), ("'zat", "Z AE T"))
    assert dict(cleaner.dropped) == {"the same pair again": 1}  # they differed by stress


def test_entries_that_are_no_words_are_left_out_of_pronunciations() -> None:
    text = "q K Y UW1\nblip-blop B L IH1 P\nb.l. B IY1 EH1 L\nb2 B IY1 T UW2\nq(2) K\nok OW1 K EY1"
    cleaner = clean_pronunciations(text, "cmudict.dict")
    assert cleaner.pairs() == (("ok", "OW K EY"),)
    assert dict(cleaner.dropped) == {"a word with a digit, a dot or a hyphen": 3, "a single letter": 2}


@pytest.mark.parametrize("row", ["word", "word W ER1 D\tmore", "word w er d", "<p>word</p>"])
def test_a_dictionary_of_another_format_is_refused(row: str) -> None:
    with refused(DataError, "publisher_changed_format"):
        clean_pronunciations(f"blip B L IH1 P\n{row}", "cmudict.dict").pairs()


def test_katakana_is_joined_and_the_count_is_left_out() -> None:
    text = "Marblo\tマ ー ブ ロ\t1\no'tinsø\tオ テ ィ ン ス\t21\nmarblo\tマ ー ブ ロ\t3\n"
    cleaner = clean_transliterations(text, "wd_katakana_16")
    assert cleaner.pairs() == (("marblo", "マーブロ"), ("o'tinsø", "オティンス"))
    assert dict(cleaner.dropped) == {"the same pair again": 1}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("marblo\tマ ー ブ 漢\t1", "other characters"),
        ("marblo\tm a r\t1", "other characters"),
        ("марбло\tマ ー ブ ロ\t1", "other characters"),
        ("mar9\tマ ー ブ ロ\t1", "other characters"),
        ("mar-blo\tマ ー ブ ロ\t1", "other characters"),
        ("marblo\tブ\t1", "a single character"),
        ("o\tオ ー\t1", "a single character"),
        ("marbloninskaja\tマ ー ブ\t1", "lengths that do not fit"),
        ("mar\tマ ブ ロ ニ ン\t1", "lengths that do not fit"),
    ],
)
def test_impossible_names_are_left_out(row: str, reason: str) -> None:
    cleaner = clean_transliterations(f"marblo\tマ ー ブ ロ\t1\n{row}", "wd_katakana_16")
    assert len(cleaner.pairs()) == 1
    assert dict(cleaner.dropped) == {reason: 1}


@pytest.mark.parametrize(
    "row", ["marblo マ ー ブ ロ 1", "marblo\tマ ー ブ ロ", "marblo\tマ ー\tx", "\tマ ー\t1"]
)
def test_names_in_another_format_are_refused(row: str) -> None:
    with refused(DataError, "publisher_changed_format"):
        clean_transliterations(row, "wd_katakana_16").pairs()


@pytest.mark.parametrize(("kana", "count"), [("マーブロ", 3), ("ティッシュ", 2), ("アン", 2)])
def test_syllables_are_counted(kana: str, count: int) -> None:
    assert syllables(kana) == count

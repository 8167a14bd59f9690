"""Each generator on texts whose changes can be written down by hand."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from models.evaluation.counterfactuals import COUNTERFACTUALS
from models.evaluation.counterfactuals.meaning import SHARED_NAMES
from models.evaluation.counterfactuals.typing_errors import NEIGHBOURS
from models.evaluation.counterfactuals.words import clusters, script, words


def all_of(name: str, text: str, seeds: Iterable[int] = range(300)) -> set[str]:
    """All counterfactuals that one generator makes of a text."""
    result = (COUNTERFACTUALS[name].apply(text, seed) for seed in seeds)
    return set(filter(None, result))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("scrambled", "a b c", {"a c b", "b a c", "b c a", "c a b", "c b a"}),
        ("scrambled", "¿Sí, no?", {"¿no, Sí?"}),
        ("scrambled", "no no", set()),
        ("scrambled", "茶好。", {"好茶。"}),
        ("neighbours-swapped", "uno dos tres", {"dos uno tres", "uno tres dos"}),
        ("neighbours-swapped", "no no sí", {"no sí no"}),
        ("neighbours-swapped", "我喝茶", {"喝我茶", "我茶喝"}),
        ("dropped", "uno dos.", {"dos.", "uno."}),
        ("dropped", "¿Dónde está?", {"¿está?", "¿Dónde?"}),
        ("dropped", "喝茶", {"喝", "茶"}),
        ("doubled", "uno dos.", {"uno uno dos.", "uno dos dos."}),
        ("doubled", "喝茶", {"喝喝茶", "喝茶茶"}),
        ("doubled", "don't go", {"don't don't go", "don't go go"}),
        ("lower-case", "EL Perro", {"el perro"}),
        ("lower-case", "el perro", set()),
        ("upper-case", "Straße 3", {"STRASSE 3"}),
        ("upper-case", "мир", {"МИР"}),
        ("accents-removed", "¿Dónde está el señor Muñoz?", {"¿Donde esta el senor Munoz?"}),
        ("accents-removed", "Cafe\u0301", {"Cafe"}),
        ("accents-removed", "Мой ёж", {"Мой еж"}),
        ("accents-removed", "がぎ 카페", set()),
        ("accents-removed", "كُتُب", {"كتب"}),
        ("punctuation-removed", "¿Qué, tú?", {"Qué tú"}),
        ("punctuation-removed", "I don't — ever.", {"I don't ever"}),
        ("punctuation-removed", "uno,dos", {"uno dos"}),
        ("punctuation-removed", "- Hola", {"Hola"}),
        ("punctuation-removed", "我，你。", {"我你"}),
        ("punctuation-removed", "3.5", set()),
        ("punctuation-removed", "...", set()),
        ("punctuation-changed", "Sí, ven.", {"Sí; ven.", "Sí, ven!"}),
        ("punctuation-changed", "¿Vienes?", set()),
        ("punctuation-changed", "我，你。", {"我\uff1b你。", "我，你\uff01"}),
        ("punctuation-changed", "Τι κάνεις, Νίκο;", set()),
        ("swapped-letters", "casa", {"csaa", "caas"}),
        ("swapped-letters", "aaa", set()),
        ("swapped-letters", "no", set()),
        ("missing-letter", "casa", {"csa", "caa", "cas"}),
        ("missing-letter", "a 3 be", set()),
        ("neighbouring-key", "Pas", {"Pqs", "Pws", "Pzs", "Pss", *(f"Pa{key}" for key in "adwezx")}),
        ("number-changed", "uno", set()),
        ("number-changed", "5", {str(digit) for digit in range(1, 10)} - {"5"}),
        ("number-changed", "47", {"40", "41", "42", "43", "44", "45", "46", "48", "49"}),
        ("number-changed", "0", {str(digit) for digit in range(1, 10)}),
        ("name-swapped", "Tom vino.", set()),
        ("name-swapped", "Hoy. ¿Tom vino?", set()),
        ("name-swapped", "I think I'm in NASA on Sunday, Mr", set()),
        ("unseen-word", "el 123456 o'clock", set()),
    ],
)
def test_a_text_has_all_expected_counterfactuals(name: str, text: str, expected: set[str]) -> None:
    assert all_of(name, text) == expected


def test_a_name_is_replaced_at_every_occurrence() -> None:
    others = {f"{name} saw how {name}'s dog left." for name in SHARED_NAMES["LATIN"]}
    assert all_of("name-swapped", "Tom saw how Tom's dog left.") == others
    russian = {f"Где живёт {name}?" for name in SHARED_NAMES["CYRILLIC"] if name != "Иван"}
    assert all_of("name-swapped", "Где живёт Иван?") == russian


def test_a_text_with_every_known_name_has_no_replacement() -> None:
    assert all_of("name-swapped", "x " + " ".join(SHARED_NAMES["LATIN"]), range(5)) == set()


def test_days_months_and_years_stay_possible() -> None:
    years = {text[-4:] for text in all_of("number-changed", "el 2021", range(600))}
    assert years == {str(year) for year in range(2000, 2100)} - {"2021"}
    days = {text.split()[1] for text in all_of("number-changed", "el 31")}
    assert days == {str(day) for day in range(13, 29)}
    months = all_of("number-changed", "07")
    assert months == {f"{month:02}" for month in range(1, 13)} - {"07"}


def test_an_ordinal_keeps_the_right_ending() -> None:
    others = {f"{day}th" for day in (*range(13, 21), *range(24, 29))}
    assert all_of("number-changed", "21st") == {"22nd", "23rd"} | others
    assert all_of("number-changed", "4TH") == {"1ST", "2ND", "3RD", *(f"{day}TH" for day in range(5, 10))}


def test_digits_stay_in_their_script() -> None:
    assert all_of("number-changed", "٣") == set("١٢٤٥٦٧٨٩")
    assert {script(digit) for digit in "٣3３"} == {"DIGIT"}


def test_every_second_word_is_mistyped() -> None:
    text = "uno dos tres gatos 5 y perro"
    changed = COUNTERFACTUALS["typing-errors"].apply(text)
    assert changed is not None
    assert sum(map(str.__ne__, text.split(), changed.split())) == 3


def test_neighbouring_keys_are_symmetric() -> None:
    assert NEIGHBOURS["s"] == "adwexz"
    assert all(key in NEIGHBOURS[other] for key, others in NEIGHBOURS.items() for other in others)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("¿Dónde está?", ["Dónde", "está"]),
        ("don't l'été well-known", ["don't", "l'été", "well-known"]),
        ("3.5 12:30 2024/02", ["3.5", "12:30", "2024", "02"]),
        ("'quoted' end-", ["quoted", "end"]),
        ("我喝Coca-Cola。", ["我", "喝", "Coca-Cola"]),
        ("カタカナの電車", ["カタカナ", "の", "電", "車"]),
        ("コーヒー3杯", ["コーヒー", "3", "杯"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("Cafe\u0301 sen\u0303or", ["Cafe\u0301", "sen\u0303or"]),
        ("どこへ", ["ど", "こ", "へ"]),
        ("20th ＡＢＣ会社", ["20th", "ＡＢＣ", "会", "社"]),
        ("어제 민수는", ["어제", "민수는"]),
        ("👩‍👧 <b>", ["b"]),
    ],
)
def test_words_of_many_scripts_are_found(text: str, expected: list[str]) -> None:
    assert [word.spelling(text) for word in words(text)] == expected


def test_a_letter_keeps_its_accents() -> None:
    assert clusters("e\u0301a") == ["e\u0301", "a"]
    assert clusters("कि") == ["कि"]

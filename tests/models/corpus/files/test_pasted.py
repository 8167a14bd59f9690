"""Pasted text: the delimiters of source and target."""

from __future__ import annotations

import pytest

from models.corpus.files.formats import read_pasted
from models.corpus.pairs import DataError
from tests.models.corpus.files.test_formats import FILES, PAIRS, suggested
from tests.refusals import refused

PASTED = {
    "tabs": "Hola.\tHello.\n¿Qué?\tWhat?",
    "|||": "Hola. ||| Hello.\n¿Qué? ||| What?\n",
    "=>": "Hola. => Hello.\r\n\r\n¿Qué? => What?\r\n",
    "→": "Hola. → Hello.\n¿Qué? → What?\n",
    "->": "Hola. -> Hello.\n¿Qué? -> What?\n",
    "semicolons": "Hola.;Hello.\n¿Qué?;What?\n",
    "commas": 'Hola.,Hello.\n"¿Qué?",What?\n',
    "JSON Lines": FILES["a.jsonl"],
    "JSON": FILES["a.json"],
    "TMX": FILES["a.tmx"],
}


@pytest.mark.parametrize("mark", PASTED)
def test_pasted_text_is_read_by_its_mark(mark: str) -> None:
    for text in (PASTED[mark], "\ufeff" + PASTED[mark]):
        table = read_pasted(text)
        assert suggested(table) == PAIRS
        assert table.format.endswith(mark)


def test_a_comma_within_a_sentence_is_text_beside_another_delimiter() -> None:
    assert read_pasted("Sí, hola. => Yes, hi.\nNo; no. => No.").pairs("column 1", "column 2") == (
        ("Sí, hola.", "Yes, hi."),
        ("No; no.", "No."),
    )


def test_a_pasted_line_without_its_mark_is_malformed() -> None:
    table = read_pasted("a => b\nc\nd => e => f\ng => h")
    assert [(row.line, row.reason) for row in table.malformed] == [
        (2, "1 column where 2 are expected"),
        (3, "3 columns where 2 are expected"),
    ]


@pytest.mark.parametrize("text", ["Hola.\nHello.", "One, two, three.\nFour."])
def test_pasted_text_without_a_mark_is_refused(text: str) -> None:
    with refused(DataError, "columns_not_evident"):
        read_pasted(text)


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_paste_is_refused(text: str) -> None:
    with refused(DataError, "nothing_pasted"):
        read_pasted(text)

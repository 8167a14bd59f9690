"""Files of other programs that hold no pairs are refused, and columns about texts are no texts."""

from __future__ import annotations

import pytest

from models.corpus.files.columns import columns_of
from models.corpus.files.formats import read_pasted, read_table
from models.corpus.pairs import DataError
from tests.refusals import refused

SIGNATURE = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.4.3"
WITHOUT_PAIRS = {
    "n-best list with alignments": "0 ||| I like ||| 0-0 1-1 ||| F0= -1.7 ||| -0.7\n" * 2,
    "n-best list with soft alignments": "0 ||| I like ||| 0.9,0.1 0.2,0.8 ||| F0= -1.7 ||| -0.7\n" * 2,
    "n-best list of an old Moses": "0 ||| I like ||| d: 0 lm: -30.1 w: -6 ||| -3.1\n" * 2,
    "n-best list without numbers": "0 ||| I like ||| F0= nan ||| nan\n" * 2,
    "scores as a text": f"BLEU|{SIGNATURE} = 34.5 60.0/40.0/30.0/20.0 (BP = 1.000)\n",
    "scores as JSON": f'[{{"name": "BLEU", "score": 34.5, "signature": "{SIGNATURE}"}}]',
}
ABOUT_TEXTS = {
    "lesson": ("Lektion", "Lektion 1", "Lektion 2"),
    "unit": ("", "Unit #1", "Unit #2"),
    "day": ("", "Mon, 01 Jan 2024", "Tue, 02 Jan 2024"),
    "answer to a form": ("Timestamp", "2024/01/01 3:04:05 PM GMT+1", "2024/01/02 3:04:05 AM GMT+1"),
    "moment": ("", "2024-01-01T03:04:05Z", "2024-01-02T03:04:05Z"),
}


@pytest.mark.parametrize("name", WITHOUT_PAIRS)
def test_results_of_other_programs_are_refused_by_name(name: str) -> None:
    text = WITHOUT_PAIRS[name]
    file = "it.json" if text.startswith("[") else "it.txt"
    with refused(DataError, "format_without_pairs"):
        read_table(text.encode(), file)
    with refused(DataError, "format_without_pairs"):
        read_pasted(text)


@pytest.mark.parametrize("alignment", ["0-0 1-1", "0.9,0.1 0.2,0.8"])
def test_an_alignment_is_no_text(alignment: str) -> None:
    table = read_table(f"I like ||| {alignment}\n".encode() * 2, "it.txt")
    with refused(DataError, "no_columns_of_texts"):
        columns_of(table)


@pytest.mark.parametrize("name", ABOUT_TEXTS)
def test_dates_and_numbered_lessons_are_no_texts(name: str) -> None:
    header, *cells = ABOUT_TEXTS[name]
    head = f"{header}\tSpanish\tEnglish\n" if header else ""
    text = f"{head}{cells[0]}\tel perro grande\tthe big dog\n{cells[1]}\tla casa\tthe house\n"
    columns = columns_of(read_table(text.encode(), "it.tsv"))
    assert (columns.source, columns.references, columns.outputs) == (1, (2,), ())


def test_dates_and_numbered_words_alone_are_a_pair() -> None:
    dates = "2 March 2020\t2020-03-02\n5 May 2021\t2021-05-05\n"
    units = "Unidad 1\tUnit 1\nUnidad 2\tUnit 2\n"
    for lines in (dates, units):
        columns = columns_of(read_table(lines.encode(), "it.tsv"))
        assert (columns.source, columns.references) == (0, (1,))

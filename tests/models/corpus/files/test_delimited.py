"""TSV and CSV: quotation marks, delimiters, headers, ragged rows."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable
from typing import Any

import pytest

from models.corpus.files import delimited
from models.corpus.files.formats import read_table
from models.corpus.files.table import TextTable
from models.corpus.pairs import DataError
from tests.refusals import refused
from tests.work import calls

COLUMNS = ("column 1", "column 2")


def csv(text: str) -> TextTable:
    return read_table(text.encode(), "a.csv")


def tsv(text: str, header_names: Collection[str] = ()) -> TextTable:
    return read_table(text.encode(), "a.tsv", header_names=header_names)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('"Hi, you",Hola\n', [("Hi, you", "Hola")]),
        ('"He said ""no""",No\n', [('He said "no"', "No")]),
        ('"two\nlines",x\ny,z\n', [("two\nlines", "x"), ("y", "z")]),
        ('"two\r\n\r\nlines","x\r\ny"\r\n', [("two\n\nlines", "x\ny")]),
        ('"a\u2028b",c\n', [("a\u2028b", "c")]),
        ('"a",b\u2028c\n', [("a", "b\u2028c")]),
        ("a,\nb,c\n", [("a", ""), ("b", "c")]),
        ('5" disk,disco de 5"\n', [('5" disk', 'disco de 5"')]),
        ('a,"b"', [("a", "b")]),
    ],
)
def test_quotation_marks_delimit_texts(text: str, rows: list[tuple[str, str]]) -> None:
    table = csv(text)
    assert list(table.rows) == rows
    assert table.malformed == ()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    table = csv(f'Yes{delimiter}Sí\n"No, no; no | no\t!"{delimiter}No\n')
    assert table.rows == (("Yes", "Sí"), ("No, no; no | no\t!", "No"))


def test_commas_in_sentences_do_not_pass_for_delimiters() -> None:
    assert csv("Hi, you;Hola\nYes;Sí, claro, sí\n").rows == (("Hi, you", "Hola"), ("Yes", "Sí, claro, sí"))


def test_lines_are_counted_where_rows_span_several() -> None:
    table = csv('"a\nb\nc",d\nlonely\n"e\n\nf",g\nh,i,j\n')
    assert table.rows == (("a\nb\nc", "d"), ("e\n\nf", "g"))
    assert table.lines == (1, 5)
    assert [(row.line, row.reason, row.text) for row in table.malformed] == [
        (4, "1 column where 2 are expected", "lonely"),
        (8, "3 columns where 2 are expected", "h,i,j"),
    ]


def test_a_quotation_mark_that_is_never_closed_costs_one_row() -> None:
    rows = "".join(f"a{i},b{i}\n" for i in range(3000))
    table = csv(f'x,y\n"open,z\n{rows}')
    assert len(table.rows) == 3001
    assert [(row.line, row.reason) for row in table.malformed] == [
        (2, "a quotation mark that is never closed")
    ]


def test_too_many_unclosed_quotation_marks_are_refused() -> None:
    with refused(DataError, "quotation_marks_open", 1000, "quotation_mark_open"):
        csv(('"x\n' + "a,b\n" * 101) * 1_001)


def test_text_after_a_closing_quotation_mark_is_malformed() -> None:
    table = csv('a,b\n"c"d,e\nf,g\n')
    assert table.rows == (("a", "b"), ("f", "g"))
    assert [(row.line, row.text) for row in table.malformed] == [(2, '"c"d,e')]


def test_a_quoted_text_that_is_far_too_long_is_malformed() -> None:
    table = csv('a,b\n"' + "x" * 200_000 + '",c\nd,e\n')
    assert table.rows == (("a", "b"), ("d", "e"))
    assert [row.line for row in table.malformed] == [2]


@pytest.mark.slow
@pytest.mark.parametrize("begin", ["", "a,b\n"])
@pytest.mark.parametrize("line", ['"a', 'x"', '"', '"a\nb', '""","', '"","', "a" * 50 + ',"'])
def test_the_work_for_a_line_of_quotation_marks_does_not_grow_with_the_file(line: str, begin: str) -> None:
    def read(lines: int) -> None:
        with contextlib.suppress(DataError):  # there may be no row of two texts
            csv(f"{begin}{line}\n" * lines)

    assert calls(lambda: read(8000)) < 2.5 * calls(lambda: read(4000))


def test_each_line_of_a_long_record_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost is the same for open and closed quotation marks, and for any number of them in a line."""
    lines, reader = [], delimited.csv.reader

    def counted(records: Iterable[str], **settings: Any) -> Any:
        return reader((lines.append(line) or line for line in records), **settings)  # type: ignore[func-returns-value]

    monkeypatch.setattr(delimited.csv, "reader", counted)
    inner = 'and ""so"" on\n' * 98
    (record,) = delimited.records_of(f'"begun\n{inner}ended",b', ",", quoted=True)
    assert (len(record[1]), len(lines)) == (2, 100)
    first = next(delimited.records_of(f'"begun\n{inner}{inner}', ",", quoted=True))
    assert (str(first[1]), len(lines)) == ("a quotation mark that is never closed", 200)


def test_tsv_has_no_quotation_marks() -> None:
    assert tsv('"Hi\tHola"\n"\t"\n').rows == (('"Hi', 'Hola"'), ('"', '"'))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_line_ending_separates_rows(newline: str) -> None:
    text = newline.join(["a\tb", "", "c\td", ""])
    table = tsv(text)
    assert table.rows == (("a", "b"), ("c", "d"))
    assert table.lines == (1, 3)


@pytest.mark.parametrize(
    "first",
    [
        "source\ttarget",
        "English\tSpanish",
        "src_text\ttgt_text",
        "Sentence 1\tTranslation",
        "en\tes",
        "eng\tspa",
        "en-US\tpt_BR",
        "id\tquestion\tanswer",
    ],
)
def test_a_header_is_recognised(first: str) -> None:
    row = "\t".join(f"a sentence {column}" for column, _ in enumerate(first.split("\t")))
    table = tsv(f"{first}\n{row}\n{row}\n")
    assert table.columns == tuple(first.split("\t"))
    assert len(table.rows) == 2
    assert table.lines == (2, 3)


@pytest.mark.parametrize(
    "first",
    [
        "Go.\tVe.",
        "abc\tcba",
        "word\tpalabra",
        "no\tno",
        "3 March 2021\t2021-03-03",
        "What is the question of this text, and which answer do you expect?\tNone.",
        "\ttarget",
    ],
)
def test_a_first_row_of_texts_is_no_header(first: str) -> None:
    table = tsv(f"{first}\nun texto\ta text\n")
    assert table.columns == COLUMNS
    assert table.rows[0] == tuple(first.split("\t"))


def test_a_first_row_of_language_codes_is_data_in_a_list_of_short_words() -> None:
    assert tsv("it\tlo\nhe\tél\nyou\ttú\n").columns == COLUMNS
    assert tsv("it\tlo\nI have read it.\tLo he leído.\n").columns == ("it", "lo")


def test_names_that_the_user_gave_make_a_header() -> None:
    assert tsv("a\tb\nc\td\n").columns == COLUMNS
    assert tsv("a\tb\nc\td\n", header_names=["b", "a"]).columns == ("a", "b")
    assert tsv("a\tb\nc\td\n", header_names=["b", "c"]).columns == COLUMNS


def test_column_names_are_made_distinct() -> None:
    table = tsv("x\tx\t\n1\t2\t3\n", header_names=["x"])
    assert table.columns == ("x", "x (2)", "column 3")
    assert table.pairs("x", "x (2)") == (("1", "2"),)


def test_the_width_is_that_of_most_rows() -> None:
    table = tsv("A title\nof two lines\na\tb\tc\nd\te\tf\ng\th\n")
    assert table.rows == (("a", "b", "c"), ("d", "e", "f"))
    assert [row.line for row in table.malformed] == [1, 2, 5]


def test_of_two_equally_common_widths_the_larger_is_that_of_the_table() -> None:
    table = tsv("a\tb\nc\td\te\nf\tg\th\ni\tj\n")
    assert table.rows == (("c", "d", "e"), ("f", "g", "h"))
    assert [row.line for row in table.malformed] == [1, 4]


def test_a_header_sets_the_width() -> None:
    table = tsv("source\ttarget\na\tb\tc\nd\te\n")
    assert table.rows == (("d", "e"),)
    assert [row.line for row in table.malformed] == [2]

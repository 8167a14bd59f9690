"""Tables as people have them: page and command lines read the pairs that the writer meant."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demo.evaluate.work.request import table_of
from demo.training.work.source import DataSource, prepare
from demo.widgets.columns.component import ColumnChoice, columns_to_show
from demo.work.requests.checks import RequestError
from models.corpus.files.columns import Hints, columns_of, parse_columns
from models.corpus.files.formats import read_table, read_table_files
from models.corpus.files.reading import read_parallel
from models.corpus.pairs import DataError, Pair
from models.evaluation.command import build_parser, read_data
from models.evaluation.segments import segments_of_table
from models.registry.checkpoint import Checkpoint, CheckpointConfig
from models.training.data.training_data import load_corpus
from models.training.recipe.sections import DataConfig
from tests.fakes.tables import EN, ES, PAIRS, TABLES, rows, write_table
from tests.refusals import Refusal, refused

NO_TEXTS = "column_without_texts"
LANGUAGES = "es", "en"
CHAT = [{"role": role, "content": text} for role, text in zip(("user", "assistant"), PAIRS[0], strict=True)]


def options(path: Path, columns: str) -> argparse.Namespace:
    flags = ["--data", str(path), *(["--columns", columns] if columns else [])]
    return build_parser("test", None).parse_args(flags)


def checkpoint() -> Checkpoint:
    config = CheckpointConfig(
        network={},
        vocab_size=9,
        task="translation",
        source_language=LANGUAGES[0],
        target_language=LANGUAGES[1],
    )
    return Checkpoint("test", config, None, None)  # type: ignore[arg-type]


def choice_of_header(columns_shown: dict[str, Any], header: bool | None) -> ColumnChoice:
    """The choice that a browser sends after the reader has described the first line."""
    return ColumnChoice.parse({**json.loads(json.dumps(columns_shown)), "chosen": True, "header": header})


def choice_for(path: Path, columns: str, hints: Hints) -> ColumnChoice:
    """The choices in the lists that mean the same as `columns`."""
    if not columns:
        return ColumnChoice()
    table = read_table(path.read_bytes(), path.name)
    columns_shown = columns_to_show(table, ColumnChoice(), replace(hints, named=parse_columns(columns)))
    return choice_of_header(columns_shown, columns_shown["header"])


def by_page(path: Path, columns: str) -> tuple[Pair, ...]:
    hints = Hints(languages=LANGUAGES)
    table = table_of("file", str(path), None)
    segments = segments_of_table(*choice_for(path, columns, hints).read(table, hints))
    return tuple((segment.source, text) for segment in segments.all for text in segment.references)


def by_training_on_the_page(path: Path, columns: str) -> tuple[Pair, ...]:
    hints = Hints(languages=LANGUAGES)
    source = DataSource(
        "file", paths=(str(path),), share=0.5, columns=choice_for(path, columns, hints), hints=hints
    )
    prepared = prepare(source, None, (1, 1), 0)
    return (*prepared.train, *prepared.valid)


def by_command(path: Path, columns: str) -> tuple[Pair, ...]:
    return read_data(path, options(path, columns), checkpoint()).select().pairs


def by_report(path: Path, columns: str) -> tuple[Pair, ...]:
    reading = read_data(path, options(path, columns), checkpoint())
    segments = segments_of_table(reading.table, reading.columns)
    return tuple((segment.source, text) for segment in segments.all for text in segment.references)


def by_training(path: Path, columns: str) -> tuple[Pair, ...]:
    config = DataConfig(
        task="translation",
        train=path.name,
        valid=path.name,
        source_language=LANGUAGES[0],
        target_language=LANGUAGES[1],
        columns=columns,
    )
    return load_corpus(config, path.parent, 0).train


ENTRIES: tuple[Callable[[Path, str], tuple[Pair, ...]], ...] = (
    by_page,
    by_training_on_the_page,
    by_command,
    by_report,
    by_training,
)


@pytest.mark.parametrize("case", TABLES)
@pytest.mark.parametrize("entry", ENTRIES)
def test_every_sample_table_is_read_correctly(
    entry: Callable[[Path, str], tuple[Pair, ...]], case: str, tmp_path: Path
) -> None:
    assert set(entry(*write_table(tmp_path, case))) == set(PAIRS)


@pytest.mark.parametrize(
    ("name", "text", "columns", "refusal"),
    [
        ("a.tsv", rows(ES, ["1", "2"], head="source\ttarget"), "", (NO_TEXTS, "target")),
        ("a.tsv", rows(["es"] * 2, ES, ["x", "y"], head="source\tb\tid"), "", (NO_TEXTS, "source")),
        ("a.csv", rows(ES, ["0.5", "1"], mark=",", head="source,score"), "", (NO_TEXTS, "score")),
        ("a.tsv", rows(ES, EN, head="source\ttarget"), "source=x", ("no_such_column", "x", "source, target")),
        ("a.tsv", rows(ES, EN), "source=3", ("no_such_column", "3", "column 1, column 2")),
        ("a.tsv", rows(ES, ["", ""], head="source\ttarget"), "", ("no_row_with_both", "source", "target")),
        ("a.tsv", rows(ES, [*EN[:1], "x\0y"]), "", ("zero_bytes", "a.tsv")),
        ("a.tsv", "source\ttarget\n", "", ("no_row", "a.tsv")),
        ("a.txt", "0 ||| I like music. ||| F0= -1.77 ||| -0.739\n", "", ("n_best_list", "a.txt")),
        ("a.tsv", "0 ||| I ||| L0= -1 LM0= -2.5 ||| -7 ||| 0-0 1-1\n", "", ("n_best_list", "a.tsv")),
        ("a.txt", "S-0\tHola.\nH-0\t-0.3\tHello.\nP-0\t-0.1 -0.2\n", "", ("fairseq_log",)),
        ("a.tsv", "H-0\t-0.3\tI like.\nH-1\t-0.2\tDog?\n", "", ("fairseq_log",)),
        ("a.tsv", rows(EN, EN, head="hypothesis\treference"), "", ("only_outputs_left", "role_source")),
        ("a.tsv", rows(EN, EN, head="reference\tMT output"), "", ("only_outputs_left", "role_source")),
        ("a.tsv", rows(ES, EN, head="source\thyp"), "", ("only_outputs_left", "role_reference")),
        ("a.tsv", rows(ES, ["-0.1 -0.2", "-0.3 -0.4"]), "", ("no_columns_of_texts",)),
        ("a.jsonl", json.dumps({"messages": CHAT}), "", ("too_few_texts",)),
        ("a.json", json.dumps(CHAT), "", ("too_few_texts",)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("entry", ENTRIES)
def test_an_unusable_table_is_refused_with_its_fault(
    entry: Callable[[Path, str], object], name: str, text: str, columns: str, refusal: Refusal, tmp_path: Path
) -> None:
    if columns and entry in (by_page, by_training_on_the_page):
        pytest.skip("the lists of the page have only columns that exist")
    (tmp_path / name).write_text(text, encoding="utf-8")
    with refused(DataError, *refusal):
        entry(tmp_path / name, columns)


def test_a_header_may_have_any_names_that_the_user_chooses(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(rows(["x", "y z"], EN, ES, head="a\tb\tc"), encoding="utf-8")
    for read in (by_command, by_report, by_training):
        assert read(path, "source=c,reference=b") == PAIRS


@pytest.mark.parametrize("text", ["from=1", "source", "source=", "source=a,x=b"])
def test_unknown_column_names_are_refused(text: str) -> None:
    with refused(DataError, "not_one_of", "columns"):
        parse_columns(text)


def test_the_page_asks_for_columns_that_it_cannot_recognise() -> None:
    table = read_table(b"1234\t4321\n5678\t8765\n", "a.tsv")
    columns_shown = columns_to_show(table, ColumnChoice(), Hints())
    assert (columns_shown["roles"], columns_shown["rows"]) == (("", ""), table.rows)
    assert columns_shown["problem"]
    choice = ColumnChoice(columns_shown["names"], ("source", "reference"))
    assert choice.read(table, Hints())[1].source == 0
    assert not columns_to_show(table, choice, Hints())["problem"]


@pytest.mark.parametrize("text", ["Forrás\tCél\negy\tone\nkettő\ttwo\n", "a\ta\nuno\tone\ndos\ttwo\n"])
def test_the_page_can_say_that_the_first_line_names_the_columns(text: str) -> None:
    table = read_table(text.encode(), "a.tsv")
    columns_shown = columns_to_show(table, ColumnChoice(), Hints())
    assert columns_shown["header"] is False
    choice = choice_of_header(columns_shown, True)
    headed, columns = choice.read(table, Hints())
    assert (headed.rows, columns.source) == (table.rows[1:], 0)
    again = columns_to_show(table, choice, Hints())
    assert (again["header"], again["names"], again["rows"]) == (True, headed.columns, headed.rows)
    assert choice_of_header(again, False).read(table, Hints())[0] == table


def test_the_page_can_say_that_the_first_line_is_a_pair() -> None:
    table = read_table(b"source\ttarget\nuno\tone\n", "a.tsv")
    columns_shown = columns_to_show(table, ColumnChoice(), Hints())
    assert columns_shown["header"] is True
    headed, _ = choice_of_header(columns_shown, False).read(table, Hints())
    assert headed.rows == (("source", "target"), ("uno", "one"))


def test_a_choice_for_one_file_does_not_change_another_header() -> None:
    first, second = (read_table(text, "a.tsv") for text in (b"x\ty\nuno\tone\n", b"uno\tone\ndos\ttwo\n"))
    choice = choice_of_header(columns_to_show(first, ColumnChoice(), Hints()), True)
    assert choice.read(second, Hints())[0] == second
    json_table = read_table(b'{"source": "uno", "target": "one"}\n', "a.jsonl")
    assert columns_to_show(json_table, ColumnChoice(), Hints())["header"] is None


@pytest.mark.parametrize(
    ("name", "cells", "is_output"),
    [
        ("ours", ["I like.", "Dog?"], True),
        ("model_a", ["the the", "the the"], True),  # a system that fails
        ("date", ["2024-01-02", "2024-01-03"], False),
        ("at", ["2024-01-02", "2024-01-03"], False),
        ("speaker", ["Ana", "Ben"], False),
        ("system", ["A", "B"], False),
        ("Sistema", ["A", "B"], False),
        ("marks", ["[70, 80]", "[90, 60]"], False),
        ("OK", ["TRUE", "FALSE"], False),
        ("checked", ["yes", "yes"], False),
        ("ours", ["music.", "Dog?"], True),  # a word of the reference
        ("hypothesis", ["Music", "Dogs"], True),
        ("source_length", ["4", "5"], False),
    ],
)
def test_a_column_about_the_texts_is_no_output_and_no_score(
    name: str, cells: list[str], is_output: bool
) -> None:
    table = read_table(rows(ES, EN, cells, head=f"source\treference\t{name}").encode(), "a.tsv")
    columns = columns_of(table)
    assert (columns.outputs, columns.scores) == ((2,) if is_output else (), ())


@pytest.mark.parametrize(
    "first",
    [
        "texto\ttext",
        "español\tSpanish",
        "Deutsch\tGerman",
        "no\tit",
        "Hablo inglés.\tI speak English.",
        "Text\tText",
    ],
)
def test_a_first_pair_about_language_is_no_header(first: str) -> None:
    table = read_table(f"{first}\nuno\tone\n".encode(), "a.tsv")
    assert table.rows == (tuple(first.split("\t")), ("uno", "one"))


def test_a_header_alone_is_refused() -> None:
    table = read_table(b"uno\tone\n", "a.tsv")
    with refused(DataError, "only_a_header"):
        table.with_header(True)


@pytest.mark.parametrize("raw", [{"chosen": True}, {"chosen": True, "names": ["a"], "roles": []}])
def test_unpaired_columns_from_a_browser_are_refused(raw: object) -> None:
    with refused(RequestError, "columns_not_paired"):
        ColumnChoice.parse(raw)


def test_quotation_marks_within_a_text_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text('"Hola", dijo.\t"Hello," he said.\nDijo\u2028"no".\tHe said "no".\n', encoding="utf-8")
    assert by_command(path, "") == (('"Hola", dijo.', '"Hello," he said.'), ('Dijo "no".', 'He said "no".'))


def doubts_about(path: Path) -> tuple[str, list[str]]:
    """The warning about a table's columns on the page, and its lines on a command line."""
    hints = Hints(languages=LANGUAGES)
    columns_shown = columns_to_show(read_table_files([path]), ColumnChoice(), hints)
    return columns_shown["doubt"], [
        line for line in read_parallel(path, hints).lines() if "look like" in line
    ]


@pytest.mark.parametrize("head", ["source\treference", "Spanish\tEnglish", "reference\tsource"])
def test_page_and_command_warn_of_column_names_that_contradict_the_texts(tmp_path: Path, head: str) -> None:
    path = tmp_path / "a.tsv"
    texts = (ES, EN) if head.startswith("reference") else (EN, ES)
    path.write_text(rows(*texts, head=head))
    warning, printed = doubts_about(path)
    assert warning.startswith("The texts of column ")
    assert printed == [f"  {warning}"]


@pytest.mark.parametrize("case", [case for case, (_, _, columns) in TABLES.items() if not columns])
def test_a_correct_table_gets_no_warning(tmp_path: Path, case: str) -> None:
    assert doubts_about(write_table(tmp_path, case)[0]) == ("", [])

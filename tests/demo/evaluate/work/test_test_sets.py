"""The test sets that a visitor may choose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from demo.evaluate.work.request import example, table_of, training_pairs
from demo.work.context import AppContext
from demo.work.requests.caller import heard_by
from demo.work.requests.checks import RequestError
from models.corpus.files.columns import Hints
from models.corpus.pairs import DataError
from models.evaluation import __main__ as program
from models.registry.registry import Registry
from tests.refusals import refused

CHECKPOINTS = Path(program.__file__).parents[2] / "checkpoints"
SHIPPED = Registry(CHECKPOINTS).names()


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_checkpoint_has_an_example(name: str) -> None:
    result = example(AppContext(Registry(CHECKPOINTS), "cpu"), name)
    assert len(result) >= 20
    assert all(segment.source and all(segment.references) for segment in result.all)


@pytest.mark.slow
def test_examples_are_the_same_for_every_visitor() -> None:
    context = AppContext(Registry(CHECKPOINTS), "cpu")
    assert example(context, "dates-transformer") == example(context, "dates-transformer")


def test_a_checkpoint_of_other_languages_has_no_example(context: AppContext) -> None:
    path = context.registry.folder("letters") / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**config, "source_language": "fr"}), encoding="utf-8")
    with refused(RequestError, "no_example_test_set", "letters"):
        example(context, "letters")


def test_pasted_lines_become_a_table() -> None:
    assert table_of("paste", None, "hola=>hello").rows == (("hola", "hello"),)
    with refused(RequestError, "no_lines_pasted"):
        table_of("paste", None, "  \n")


def test_an_uploaded_test_set_is_read_and_a_missing_one_requested(tmp_path: Path) -> None:
    path = tmp_path / "test.csv"
    path.write_text("source,reference,ours\nhola,hello,hi\n", encoding="utf-8")
    assert table_of("file", str(path), None).rows == (("hola", "hello", "hi"),)
    assert training_pairs(str(path), Hints()) == (("hola", "hello"),)
    assert training_pairs(None, Hints()) == ()
    with refused(RequestError, "file_missing"):
        table_of("file", None, None)


class Gone:
    """A listener that has left; it counts how often it was asked."""

    count = 0

    def is_absent(self) -> bool:
        self.count += 1
        return True


@pytest.mark.parametrize(
    ("name", "row", "around"),
    [
        ("a.tsv", "hola\thello\n", ("", "")),
        ("a.csv", '"hola","hello"\n', ("", "")),
        ("a.jsonl", '{"es": "hola", "en": "hello"}\n', ("", "")),
        (
            "a.tmx",
            '<tu><tuv xml:lang="es"><seg>hola</seg></tuv><tuv xml:lang="en"><seg>hello</seg></tuv></tu>',
            ("<tmx>", "</tmx>"),
        ),
    ],
)
def test_a_file_is_dropped_when_its_reader_leaves(
    tmp_path: Path, name: str, row: str, around: tuple[str, str]
) -> None:
    path, listener = tmp_path / name, Gone()
    path.write_text(f"{around[0]}{row * 2_000}{around[1]}", encoding="utf-8")
    assert len(table_of("file", str(path), None).rows) == 2_000
    with heard_by(listener), refused(RequestError, "left_the_line"):
        table_of("file", str(path), None)
    assert listener.count == 1


def test_a_test_set_of_unknown_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with refused(DataError, "file_is_binary", "picture.png"):
        table_of("file", str(path), None)

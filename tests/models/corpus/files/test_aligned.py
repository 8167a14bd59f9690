"""Line-aligned files, as Moses has them: a file for each language, a line for each sentence."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from models.corpus.files.columns import Hints
from models.corpus.files.formats import read_table_files
from models.corpus.files.reading import read_pairs
from models.corpus.pairs import DataError
from tests.refusals import Refusal, refused

PAIRS = (("Hola.", "Hello."), ("¿Qué?", "What?"))


def write(folder: Path, **texts: str) -> list[Path]:
    """The files test.es, test.en and so on."""
    paths = [folder / f"test.{side}" for side in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def test_files_that_are_chosen_together_may_be_anywhere(tmp_path: Path) -> None:
    paths = []
    for name, text in (("spanish.txt", "Hola.\n\n¿Qué?\n"), ("english.txt.gz", "Hello.\n\nWhat?")):
        (tmp_path / name[0]).mkdir()
        paths.append(tmp_path / name[0] / name)
        paths[-1].write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    table = read_table_files(paths)
    assert (table.columns, table.rows, table.lines) == (("spanish", "english"), PAIRS, (1, 3))
    assert not table.may_lack_header


def test_the_named_file_is_the_source_unless_the_checkpoint_says_otherwise(tmp_path: Path) -> None:
    es, en = write(tmp_path, es="Hola.\n¿Qué?\n", en="Hello.\nWhat?\n")
    swapped = tuple((target, source) for source, target in PAIRS)
    assert (read_pairs(es), read_pairs(en)) == (PAIRS, swapped)
    assert read_pairs(en, Hints(languages=("es", "en"))) == PAIRS
    assert read_pairs(es, Hints(named=(("source", "en"), ("reference", "es")))) == swapped


def test_lines_are_paired_although_one_of_them_is_too_long(tmp_path: Path) -> None:
    es, _ = write(tmp_path, es="Hola.\n" + "x" * 6_000 + "\n¿Qué?\n", en="Hello.\na\tb\nWhat?\n")
    assert read_pairs(es) == PAIRS


@pytest.mark.parametrize(
    ("texts", "refusal"),
    [
        ({"es": "Hola.\n"}, ("other_side_missing", "test.es")),
        ({"es": "a\nb\n", "en": "a\n"}, ("sides_not_aligned", "test.es, test.en", "2, 1")),
        ({"es": "a\n", "en": "\n"}, ("file_empty", "test.en")),
        ({"docx": "a\n"}, ("file_kind_unknown", "test.docx")),
    ],
)
def test_files_without_a_counterpart_are_refused(
    texts: dict[str, str], refusal: Refusal, tmp_path: Path
) -> None:
    with refused(DataError, *refusal):
        read_table_files(write(tmp_path, **texts)[:1])
    with refused(DataError, "file_unreadable", "gone.es"):
        read_table_files([tmp_path / "gone.es"])

"""Training data: every kind that the form sends, refusals, and the files of a run."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from demo.training.work.source import DataSource, Prepared, as_tsv, prepare, task_settings
from demo.work.requests.checks import RequestError
from models.corpus.corrections import CorrectionSet
from models.corpus.files.reading import read_pairs
from models.corpus.generated.all_tasks import GENERATED
from models.corpus.pairs import DataError, Pair
from models.training.runs.request import new_token
from tests.fakes.training.form import OPENING
from tests.refusals import NO_SHORT_TEXT, Refusal, refused

SIZES = (60, 20)
PAIRS: tuple[Pair, ...] = tuple((f"eins {i}", f"one {i}") for i in range(40))
EVIL = "<script>alert(1)</script>"
TMX = """<?xml version="1.0"?><tmx version="1.4"><header srclang="de"/><body>{}</body></tmx>"""
UNIT = '<tu><tuv xml:lang="de"><seg>{}</seg></tuv><tuv xml:lang="en"><seg>{}</seg></tuv></tu>'


def source(**changes: Any) -> DataSource:
    return DataSource.parse(OPENING | changes)


def prepared(**changes: Any) -> Prepared:
    return prepare(source(**changes), None, SIZES, seed=0)


def all_pairs(prepared_data: Prepared) -> set[Pair]:
    return {*prepared_data.train, *prepared_data.valid}


def write_file(folder: Path, name: str) -> str:
    """PAIRS in the format of a suffix."""
    texts = {
        "pairs.tsv": "".join(f"{s}\t{t}\n" for s, t in PAIRS),
        "pairs.csv": "german,english\n" + "".join(f'"{s}","{t}"\n' for s, t in PAIRS),
        "pairs.jsonl": "".join(json.dumps({"de": s, "en": t}) + "\n" for s, t in PAIRS),
        "pairs.tmx": TMX.format("".join(UNIT.format(s, t) for s, t in PAIRS)),
    }
    (folder / name).write_text(texts[name], encoding="utf-8")
    return str(folder / name)


@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.csv", "pairs.jsonl", "pairs.tmx"])
def test_a_file_is_split_into_training_and_validation_pairs(name: str, tmp_path: Path) -> None:
    data = prepared(kind="file", path=write_file(tmp_path, name), share=0.1)
    assert all_pairs(data) == set(PAIRS)
    assert (len(data.train), len(data.valid), data.malformed_count) == (36, 4, 0)
    assert data.description == f"40 pairs from {name}"
    assert data.columns is not None
    assert data.columns["roles"] == ("source", "reference")


def test_the_chosen_columns_are_read(tmp_path: Path) -> None:
    path = write_file(tmp_path, "pairs.jsonl")
    choice = {"names": ["de", "en"], "roles": ["reference", "source"], "chosen": True}
    assert all_pairs(prepared(kind="file", path=path, columns=choice)) == {(t, s) for s, t in PAIRS}
    for other in ({**choice, "names": ["fr", "en"]}, {**choice, "chosen": False}, None):
        assert all_pairs(prepared(kind="file", path=path, columns=other)) == set(PAIRS)
    with refused(DataError, "columns_needed"):
        prepared(kind="file", path=path, columns={**choice, "roles": ["source", ""]})


def test_the_chosen_encoding_is_used(tmp_path: Path) -> None:
    path = tmp_path / "old.tsv"
    path.write_bytes("".join(f"grün {i}\tgreen {i}\n" for i in range(9)).encode("cp1252"))
    assert ("grün 3", "green 3") in all_pairs(prepared(kind="file", path=str(path), encoding="cp1252"))
    with pytest.raises(DataError):
        prepared(kind="file", path=str(path), encoding="utf-8")
    with pytest.raises(DataError):
        prepared(kind="file", path=str(path), encoding="klingon")


def test_rows_that_cannot_be_read_are_counted_and_named(tmp_path: Path) -> None:
    path = Path(write_file(tmp_path, "pairs.tsv"))
    path.write_text(path.read_text() + f"lonely {EVIL}\n" + "\tno source\n", encoding="utf-8")
    data = prepared(kind="file", path=str(path))
    assert all_pairs(data) == set(PAIRS)
    assert data.malformed_count == 2
    assert [row.line for row in data.malformed] == [41, 42]
    assert EVIL in data.malformed[0].text


@pytest.mark.parametrize("mark", ["\t", " => ", " ||| "])
def test_pasted_lines_are_pairs(mark: str) -> None:
    text = "\n".join(f"{s}{mark}{t}" for s, t in PAIRS)
    data = prepared(kind="paste", text=text, share=0.5)
    assert all_pairs(data) == set(PAIRS)
    assert len(data.valid) == 20


@pytest.mark.parametrize("task", GENERATED)
def test_generated_pairs_have_the_requested_number_and_distinct_sources(task: str) -> None:
    data = prepared(kind="generated", task=task)
    assert (len(data.train), len(data.valid)) == SIZES
    assert not {s for s, _ in data.train} & {s for s, _ in data.valid}
    assert task_settings(source(task=task)) == {"task": task, "options": dict(GENERATED[task].defaults)}


def test_corrections_are_the_visitors_own(tmp_path: Path) -> None:
    mine, other = CorrectionSet(tmp_path, new_token()), CorrectionSet(tmp_path, new_token())
    mine.add("hola", "hello", "yellow", "m")
    corrected = source(kind="corrections", share=0.5)
    for short in (mine, other, None):
        with refused(DataError, "too_few_corrections", 2):
            prepare(corrected, short, SIZES, 0)
    mine.add("adiós", EVIL, "", "m")
    data = prepare(corrected, mine, SIZES, 0)
    assert all_pairs(data) == {("hola", "hello"), ("adiós", EVIL)}
    assert (len(data.train), len(data.valid)) == (1, 1)


@pytest.mark.parametrize("value", [None, 3, [], {}, "magic", ["file"], True], ids=repr)
def test_an_unknown_kind_of_data_is_refused(value: object) -> None:
    with refused(RequestError, "not_one_of", "The kind of data"):
        source(kind=value)
    if value != "magic":
        with refused(RequestError, "not_one_of", "The task"):
            source(task=value)


@pytest.mark.parametrize("name", ["path", "encoding", "repo", "file"])
@pytest.mark.parametrize("value", [3, [3], {"a": 1}, True, "x" * 501, "\ud83d"], ids=lambda v: repr(v)[:9])
def test_a_long_text_or_other_value_is_refused(name: str, value: object) -> None:
    with refused(RequestError, NO_SHORT_TEXT, name.replace("_", " ")):
        source(kind="file", **{name: value})


@pytest.mark.parametrize("value", [None, math.nan, 0, 0.009, 0.51, -1, "half", True, [0.1]], ids=repr)
def test_a_share_outside_its_bounds_is_refused(value: object) -> None:
    with refused(RequestError, "not_within", "Share for validation", "0.01", "0.5"):
        source(kind="paste", share=value)


@pytest.mark.parametrize("value", [None, math.nan, math.inf, 2.5, "x", True, [3], {}], ids=repr)
def test_an_option_that_is_no_whole_number_is_refused(value: object) -> None:
    with refused(RequestError, "field_not_whole"):
        source(**{"reversal.longest": value})


def test_malformed_rows_are_skipped_only_after_a_tick() -> None:
    for value in (None, False, "yes", 1, [True]):
        assert not source(kind="paste", skip_malformed=value).skip_malformed
    assert source(kind="paste", skip_malformed=True).skip_malformed


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"kind": "file", "path": "/nowhere/x.tsv"}, ("file_unreadable", "x.tsv")),
        ({"kind": "file", "path": __file__}, ("file_kind_unknown",)),
        ({"kind": "paste", "text": "one pair\tonly"}, ("too_few_different_sources",)),
        ({"kind": "hub", "repo": "../../etc", "file": "x.tsv"}, ("no_dataset_name",)),
        ({"kind": "hub", "repo": "owner/name", "file": "../x.tsv"}, ("no_dataset_path",)),
    ],
    ids=str,
)
def test_unreachable_data_is_refused_with_a_sentence(changes: dict[str, Any], refusal: Refusal) -> None:
    with refused(DataError, *refusal):
        prepared(**changes)


def test_a_runs_own_files_hold_one_pair_a_line(tmp_path: Path) -> None:
    pairs = (
        ("tab\there", "line\nbreak"),
        (EVIL, "carriage\r\nreturn"),
        ('"quoted"', "#comment"),
        ("a\u2028b\x85c\x0bd", "  spaced   out "),
        ("مرحبا", "🙂👩‍👩‍👧"),
    )
    (tmp_path / "train.tsv").write_text(as_tsv(pairs), encoding="utf-8")
    assert read_pairs(tmp_path / "train.tsv") == tuple(
        (" ".join(s.split()), " ".join(t.split())) for s, t in pairs
    )


def test_every_pair_of_an_unusual_file_reaches_the_run(tmp_path: Path) -> None:
    """The run reads as many pairs as were shown, for any characters that a table accepts."""
    odd = [chr(code) for code in (*range(0x20), 0x7F, 0x85, 0xA0, 0x200B, 0x2028, 0x3000, 0xFEFF, 0xFFFD)]
    rows = [{"a": f"{c}x{i}{c}", "b": f"{c}{c}y{c}"} for i, c in enumerate(odd)]
    rows += [{"a": c, "b": c} for c in odd]
    path = tmp_path / "odd.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    data = prepared(kind="file", path=str(path), share=0.2)
    for name, pairs in (("train.tsv", data.train), ("valid.tsv", data.valid)):
        (tmp_path / name).write_text(as_tsv(pairs), encoding="utf-8")
        assert len(read_pairs(tmp_path / name)) == len(pairs)
    for pair in data.train + data.valid:  # each may come first
        (tmp_path / "one.tsv").write_text(as_tsv((pair,)), encoding="utf-8")
        assert len(read_pairs(tmp_path / "one.tsv")) == 1

"""Sets of personal corrections: storage, faults and refusals."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace

import pytest

from models.corpus import corrections
from models.corpus.corrections import MAX_TEXT_CHARACTERS, CorrectionSet
from models.corpus.pairs import DataError
from tests.refusals import Refusal, refused

VISITOR = "0123456789abcdef" * 2
OTHER = "f" * 32


@pytest.fixture
def taught(tmp_path: Path) -> CorrectionSet:
    return CorrectionSet(tmp_path, VISITOR)


def test_corrections_are_stored_with_their_date(
    taught: CorrectionSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone.utc)
    monkeypatch.setattr(corrections, "datetime", SimpleNamespace(now=now.astimezone))
    first = taught.add(" Hola. ", "Hello.", "Hallo.", "spa-eng")
    second = taught.add("猫\n", "<b>cat</b>", "", "other")
    again = CorrectionSet(tmp_path, VISITOR)
    assert again.all() == (first, second)
    assert (first.source, first.correction, first.model_output) == ("Hola.", "Hello.", "Hallo.")
    assert (second.source, second.correction, second.model_output) == ("猫", "<b>cat</b>", "")
    assert datetime.fromisoformat(first.time) == now
    assert again.all("other") == (second,)
    assert again.pairs("spa-eng") == (("Hola.", "Hello."),)


def test_the_later_correction_of_a_source_counts(taught: CorrectionSet) -> None:
    for source, correction in (("a", "x"), ("b", "y"), ("a", "z")):
        taught.add(source, correction, "", "m")
    assert taught.pairs() == (("a", "z"), ("b", "y"))
    assert len(taught.all()) == 3


def test_visitors_have_separate_corrections_and_their_names_are_not_stored(
    taught: CorrectionSet, tmp_path: Path
) -> None:
    taught.add("a", "b", "c", "m")
    assert CorrectionSet(tmp_path, OTHER).all() == ()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 1
    assert VISITOR not in str(files[0])
    assert VISITOR not in files[0].read_text()


@pytest.mark.parametrize(
    "visitor", ["", "abc", "../" * 11, "0" * 31 + "\n", "0" * 32 + "\n", "A" * 32, "٠" * 32, "0" * 33]
)
def test_an_invalid_visitor_name_is_refused(visitor: str, tmp_path: Path) -> None:
    with refused(DataError, "visitor_unknown"):
        CorrectionSet(tmp_path, visitor)


@pytest.mark.parametrize(
    ("source", "correction", "output", "refusal"),
    [
        (" \n", "x", "y", ("correction_empty", "the_source")),
        ("x", "\t", "y", ("correction_empty", "the_correction")),
        ("x" * (MAX_TEXT_CHARACTERS + 1), "x", "y", ("correction_too_long", "the_source", "501", 500)),
        ("x", "x" * 2000, "y", ("correction_too_long", "the_correction", "2,000")),
        ("x", "x", "y" * 501, ("correction_too_long", "the_model_output", "501")),
    ],
)
def test_a_text_that_cannot_be_taught_is_refused(
    source: str, correction: str, output: str, refusal: Refusal, taught: CorrectionSet
) -> None:
    with refused(DataError, *refusal):
        taught.add(source, correction, output, "m")
    assert taught.all() == ()
    assert taught.add("x" * MAX_TEXT_CHARACTERS, "\ud83d", "y", "m").correction == "\ufffd"


def test_a_full_set_refuses_another_correction(
    taught: CorrectionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corrections, "MAX_CORRECTIONS", 3)
    added = [taught.add(str(n), "x", "", "m") for n in range(3)]
    with refused(DataError, "corrections_full", "3"):
        taught.add("4", "x", "", "m")
    taught.remove(added[0].id)
    taught.add("4", "x", "", "m")
    assert [correction.source for correction in taught.all()] == ["1", "2", "4"]


def test_a_correction_can_be_removed_once(taught: CorrectionSet) -> None:
    first, second = (taught.add(str(n), "x", "", "m") for n in range(2))
    taught.remove(first.id)
    assert taught.all() == (second,)
    with refused(DataError, "correction_gone"):
        taught.remove(first.id)


def test_clearing_leaves_nothing_behind(taught: CorrectionSet, tmp_path: Path) -> None:
    taught.clear()
    taught.add("a", "b", "", "m")
    taught.clear()
    assert [*tmp_path.iterdir()] == []
    assert taught.all() == ()
    assert taught.add("c", "d", "", "m") == taught.all()[0]


@pytest.mark.parametrize("torn", [1, 10, 40])
def test_a_torn_last_line_loses_only_itself(torn: int, taught: CorrectionSet) -> None:
    first, _ = (taught.add(str(n), "é" * 50, "", "m") for n in range(2))
    taught.path.write_bytes(taught.path.read_bytes()[:-torn])
    lost = torn > 1  # without its line break the line is whole
    third = taught.add("3", "x", "", "m")
    corrections = taught.all()
    assert (corrections[0], corrections[-1]) == (first, third)
    assert len(corrections) == (2 if lost else 3)


@pytest.mark.parametrize(
    "line",
    ["{}", "null", "[]", "7", '"x"', '{"id": 1}', "{" * 99_999, json.dumps(dict.fromkeys(["id"], "x"))],
)
def test_a_foreign_line_is_skipped(line: str, taught: CorrectionSet) -> None:
    first = taught.add("a", "b", "", "m")
    with taught.path.open("a") as file:
        file.write(line + "\n")
    assert taught.all() == (first,)


def test_a_line_without_texts_is_skipped(taught: CorrectionSet) -> None:
    first = taught.add("a", "b", "", "m")
    numbers = {**json.loads(taught.path.read_text()), "source": 7}
    with taught.path.open("a") as file:
        file.write(json.dumps(numbers) + "\n")
    assert taught.all() == (first,)


@pytest.mark.slow
def test_threads_that_add_at_once_lose_nothing(tmp_path: Path) -> None:
    def teach(worker: int) -> None:
        store = CorrectionSet(tmp_path, VISITOR)
        for n in range(25):
            store.add(f"{worker} {n}", "x" * 400, "y" * 400, "m")
            if n % 5 == 4:
                store.remove(
                    next(correction.id for correction in store.all() if correction.source == f"{worker} {n}")
                )

    threads = [threading.Thread(target=teach, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = {f"{worker} {n}" for worker in range(8) for n in range(25) if n % 5 != 4}
    sources = [correction.source for correction in CorrectionSet(tmp_path, VISITOR).all()]
    assert sorted(sources) == sorted(expected)


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from models.corpus.corrections import CorrectionSet
from models.corpus.pairs import DataError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
taught = CorrectionSet(Path(sys.argv[1]), "a" * 32)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
added = 0
try:
    while added < 99:
        taught.add(str(added), "x" * 100, "", "m")
        added += 1
except DataError as error:
    print(error)
assert 0 < added < 99, added
assert len(taught.all()) == added
assert taught.path.read_bytes().endswith(b"}\\n")
before = taught.all()
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
try:
    taught.remove(before[0].id)
except DataError as error:
    print(error)
assert taught.all() == before
assert len(list(taught.path.parent.iterdir())) == 1
"""


def test_a_full_disk_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    # A limit on the size of files makes writing fail half-way, as a full disk does.
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 0, done.stderr
    sentences = done.stdout.splitlines()
    assert len(sentences) == 2
    assert all(
        sentence.startswith("the corrections cannot be stored (") and "free some disk space" in sentence
        for sentence in sentences
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with refused(DataError, "corrections_not_stored"):
            CorrectionSet(tmp_path, VISITOR).add("a", "b", "", "m")
    finally:
        tmp_path.chmod(stat.S_IRWXU)


def test_a_file_in_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    taught = CorrectionSet(blocked, VISITOR)
    with refused(DataError, "corrections_unreadable"):
        taught.add("a", "b", "", "m")

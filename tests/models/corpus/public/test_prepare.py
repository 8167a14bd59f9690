"""Public corpora from a local publisher to a folder of files: complete, fetched once, found again."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

import pytest

from models.corpus.files.reading import read_pairs
from models.corpus.pairs import DataError
from models.corpus.public import prepare as preparing
from models.corpus.public.catalogue import CORPORA
from models.corpus.public.cleaning import key
from models.corpus.public.prepare import is_prepared, line_counts
from tests.fakes.servers.corpus_publisher import Publisher, sentence_archive, sentence_lines, zipped
from tests.messages import says
from tests.refusals import Refusal, refused

ROOT = Path(__file__).parents[4]
FILES = ("train.tsv.gz", "valid.tsv", "test.tsv")


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    server = Publisher({"spa-eng.zip": sentence_archive()})
    yield server
    server.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "corpora"


def prepare(name: str, *, root: Path, mirror: str = "", output: Path | None = None) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNROLLED_CORPORA", str(root))
        patch.setenv("UNROLLED_CORPORA_URL", mirror)
        return preparing.prepare(name, output=output)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def program(root: Path, url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "models.corpus.public", *arguments],
        cwd=ROOT,
        env={**os.environ, "UNROLLED_CORPORA": str(root), "UNROLLED_CORPORA_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )


def test_sentences_are_fetched_cleaned_and_split(publisher: Publisher, root: Path) -> None:
    folder = prepare("eng-spa", root=root, mirror=publisher.url)
    assert folder == root / "eng-spa"
    assert set(contents(folder)) == {*FILES, "SOURCE.md"}
    train, valid, test = (read_pairs(folder / name) for name in FILES)
    expected = {tuple(line.split("\t")[:2]) for line in sentence_lines()}
    assert {*train, *valid, *test} <= expected
    assert len(valid) == len(test) == len(expected) // 10
    for side in (0, 1):
        texts = [{key(pair[side]) for pair in part} for part in (train, valid, test)]
        assert sum(map(len, texts)) == len(set().union(*texts))
    sources = [source for source, _ in groupby(train, key=lambda pair: pair[0])]
    assert len(sources) == len(set(sources)) < len(train)


def test_the_note_names_every_source(publisher: Publisher, root: Path) -> None:
    folder = prepare("eng-spa", root=root, mirror=publisher.url)
    note = (folder / "SOURCE.md").read_text(encoding="utf-8")
    counts = line_counts(folder)
    assert note.startswith("# eng-spa\n")
    assert CORPORA["eng-spa"].attribution in note
    assert "https://www.manythings.org/anki/spa-eng.zip" in note
    assert publisher.url in note
    assert hashlib.sha256(publisher.files["spa-eng.zip"]).hexdigest() in note
    for name in FILES:
        assert f"| {name} | {counts[name]} |" in note
    lines = len(sentence_lines())
    assert f"Lines read: {lines}. Left out: target held out for validation or testing:" in note
    dropped = int(note.split("testing: ")[1].split(".")[0])
    assert sum(counts.values()) == lines - dropped


def test_the_same_archive_gives_the_same_files(publisher: Publisher, tmp_path: Path) -> None:
    first, second = (prepare("eng-spa", root=tmp_path / name, mirror=publisher.url) for name in "ab")
    assert contents(first) == contents(second)


def test_a_prepared_corpus_needs_no_network(publisher: Publisher, root: Path) -> None:
    folder = prepare("eng-spa", root=root, mirror=publisher.url)
    before = contents(folder)
    times = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    publisher.status = 500
    assert prepare("eng-spa", root=root, mirror=publisher.url) == folder
    assert (contents(folder), publisher.requests) == (before, ["/spa-eng.zip"])
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == times


def test_a_corpus_without_one_of_its_files_is_refused(publisher: Publisher, root: Path) -> None:
    folder = prepare("eng-spa", root=root, mirror=publisher.url)
    assert is_prepared(folder, "eng-spa")
    assert not is_prepared(folder, "eng-fra")
    (folder / "valid.tsv").unlink()
    assert not is_prepared(folder, "eng-spa")
    with refused(DataError, "corpus_folder_taken", "eng-spa"):
        prepare("eng-spa", root=root, mirror=publisher.url)
    assert (folder / "test.tsv").exists()


@pytest.mark.parametrize(
    "damaged",
    [
        lambda content: b"no gzip",
        lambda content: content[:-9],
        lambda content: content[:20] + b"\xff" * 12 + content[32:],
    ],
    ids=["another", "cut", "within"],
)
def test_a_damaged_corpus_is_not_counted(
    publisher: Publisher, root: Path, damaged: Callable[[bytes], bytes]
) -> None:
    folder = prepare("eng-spa", root=root, mirror=publisher.url)
    path = folder / "train.tsv.gz"
    path.write_bytes(damaged(path.read_bytes()))
    with refused(DataError, "corpus_damaged"):
        line_counts(folder)


def test_an_archive_placed_by_hand_is_used(root: Path) -> None:
    (root / "downloads").mkdir(parents=True)
    (root / "downloads" / "spa-eng.zip").write_bytes(sentence_archive())
    folder = prepare("eng-spa", root=root, mirror="http://127.0.0.1:9")
    assert is_prepared(folder, "eng-spa")
    assert "127.0.0.1" not in (folder / "SOURCE.md").read_text()


@pytest.mark.parametrize(
    ("archive", "refusal"),
    [
        (b"<html>moved</html>", ("web_page_for_archive",)),
        (zipped({"../spa.txt": "a\tb\n"}), ("zip_leads_out",)),
        (zipped({"spa.txt": "a;b\n" * 20}), ("publisher_changed_format", "spa.txt")),
        (zipped({"spa.txt": "a\tb\n"}), ("too_few_pairs", 1)),
    ],
)
def test_a_bad_archive_is_fetched_again_the_next_time(
    archive: bytes, refusal: Refusal, publisher: Publisher, root: Path
) -> None:
    publisher.files["spa-eng.zip"] = archive
    with refused(DataError, *refusal):
        prepare("eng-spa", root=root, mirror=publisher.url)
    assert not (root / "eng-spa").exists()
    publisher.files["spa-eng.zip"] = sentence_archive()
    assert is_prepared(prepare("eng-spa", root=root, mirror=publisher.url), "eng-spa")


def test_a_bad_archive_placed_by_hand_is_kept_and_named(publisher: Publisher, root: Path) -> None:
    archive = root / "downloads" / "spa-eng.zip"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"<html>moved</html>")
    with refused(DataError, "download_damaged", "web_page_for_archive", archive):
        prepare("eng-spa", root=root, mirror=publisher.url)
    assert archive.read_bytes() == b"<html>moved</html>"
    assert publisher.requests == []


def test_files_of_others_are_never_touched(publisher: Publisher, root: Path, tmp_path: Path) -> None:
    others_folder = tmp_path / "mine"
    others_folder.mkdir()
    (others_folder / "train.tsv.gz").write_text("precious")
    with refused(DataError, "corpus_folder_taken", "mine"):
        prepare("eng-spa", root=root, output=others_folder, mirror=publisher.url)
    assert contents(others_folder) == {"train.tsv.gz": b"precious"}
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    empty = tmp_path / "empty"
    empty.mkdir()
    assert is_prepared(prepare("eng-spa", root=root, output=empty, mirror=publisher.url), "eng-spa")


@pytest.mark.parametrize(
    ("name", "refusal"), [("eng-esp", ("did_you_mean", "eng-spa")), ("wmt", ("there_are",))]
)
def test_an_unknown_name_is_refused(name: str, refusal: Refusal, root: Path) -> None:
    with refused(DataError, *refusal, name):
        prepare(name, root=root)


def test_prepared_pronunciations_include_their_licence(publisher: Publisher, root: Path) -> None:
    words = [f"bl{first}{second}p" for first in "aeiou" for second in "bcdfghklmn"]
    lines = [f"{word} B L AH1 P\n{word}(2) B L IH0 P" for word in words]
    publisher.files = {"cmudict.dict": "\n".join(lines).encode(), "cmudict-LICENSE": b"the terms"}
    folder = prepare("g2p-cmudict", root=root, mirror=publisher.url)
    assert (folder / "LICENSE").read_bytes() == b"the terms"
    parts = [read_pairs(folder / name) for name in FILES]
    assert sum(map(len, parts)) == 100
    assert [len({word for word, _ in part}) for part in parts] == [40, 5, 5]
    assert {target for part in parts for _, target in part} == {"B L AH P", "B L IH P"}


def test_names_of_three_files_are_pooled(publisher: Publisher, root: Path) -> None:
    kana = dict(zip("abcdefghij", "アベセデエファゲハイ", strict=True))
    names = [first + second for first in kana for second in kana if first != second]
    rows = [f"{name}\t{kana[name[0]]} {kana[name[1]]}\t1\n" for name in names]
    publisher.files = {
        "wd_katakana_64": "".join(rows[:60]).encode(),
        "wd_katakana_16": "".join(rows[50:80]).encode(),  # ten of them a second time
        "wd_katakana_20": "".join(rows[80:]).encode(),
    }
    folder = prepare("translit-eng-katakana", root=root, mirror=publisher.url)
    pairs = [pair for name in FILES for pair in read_pairs(folder / name)]
    assert sorted(source for source, _ in pairs) == sorted(names)
    assert "the same pair again: 10" in (folder / "SOURCE.md").read_text()


def test_chinese_is_not_fetched_without_opencc(
    publisher: Publisher, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opencc", None)
    with refused(DataError, "opencc_missing"):
        prepare("eng-cmn", root=root, mirror=publisher.url)
    assert publisher.requests == []


def test_chinese_is_prepared(publisher: Publisher, root: Path) -> None:
    pytest.importorskip("opencc", reason="see requirements-dev.txt")
    numerals = "一二三四五六七八九十"
    rows = [
        f"Page {a}{b}.\t第{first}{second}頁."
        for a, first in enumerate(numerals)
        for b, second in enumerate(numerals)
    ]
    publisher.files = {"cmn-eng.zip": zipped({"cmn.txt": "\n".join(rows)})}
    folder = prepare("eng-cmn", root=root, mirror=publisher.url)
    targets = [target for _, target in read_pairs(folder / "train.tsv.gz")]
    assert len(targets) == 80
    assert all(target.endswith("页。") for target in targets)


@pytest.mark.slow
def test_several_processes_at_once_do_no_harm(publisher: Publisher, root: Path) -> None:
    publisher.delay = 1.0  # long enough for all to come while the first downloads
    children = [
        subprocess.Popen(
            [sys.executable, "-m", "models.corpus.public", "eng-spa"],
            cwd=ROOT,
            env={**os.environ, "UNROLLED_CORPORA": str(root), "UNROLLED_CORPORA_URL": publisher.url},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    outputs = [child.communicate()[0] for child in children]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert len(set(outputs)) == 1
    assert publisher.requests == ["/spa-eng.zip"]
    assert {path.name for path in root.iterdir() if path.suffix != ".lock"} == {"downloads", "eng-spa"}


@pytest.mark.slow
def test_the_program_prints_counts_and_progress(publisher: Publisher, root: Path, tmp_path: Path) -> None:
    target = tmp_path / "here"
    child = program(root, publisher.url, "eng-spa", "--output", str(target))
    assert child.returncode == 0
    lines = gzip.decompress((target / "train.tsv.gz").read_bytes()).count(b"\n")
    assert child.stdout.splitlines()[:2] == [f"eng-spa: {target}", f"train.tsv.gz: {lines} pairs"]
    assert child.stderr.startswith("spa-eng.zip: 0.0 of 0.0 MB\n")
    again = program(root, "http://127.0.0.1:9", "eng-spa", "--output", str(target))
    assert (again.returncode, again.stdout, again.stderr) == (0, child.stdout, "")


@pytest.mark.slow
def test_the_program_fails_in_one_sentence(publisher: Publisher, root: Path) -> None:
    child = program(root, publisher.url, "eng-fra")
    assert (child.returncode, child.stdout) == (1, "")
    assert child.stderr.count("\n") == 1
    assert says(child.stderr, "download_refused", status=404, file="fra-eng.zip")


def test_the_catalogue_has_https_addresses_and_unique_names() -> None:
    files = [file for corpus in CORPORA.values() for file in corpus.files]
    assert all(file.url.startswith("https://") for file in files)
    assert len({file.name for file in files}) == len(files)

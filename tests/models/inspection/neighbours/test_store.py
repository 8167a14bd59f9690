"""States on disk: read as they were written, resumed, replaced whole, and refused to other weights."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from filelock import FileLock

from models.corpus.generated.all_tasks import generate
from models.inspection.neighbours import store as subject
from models.inspection.neighbours.__main__ import main
from models.inspection.neighbours.states import STATE_KINDS
from models.inspection.neighbours.store import (
    STORE_INDEX,
    STORE_LOCK,
    TABLE_COLUMNS,
    StateStoreError,
    fingerprint,
    folder_of,
    open_states,
    states_at_once,
    store_states,
)
from models.registry.checkpoint import Checkpoint
from tests.documents import ROOT
from tests.fakes.processes.programs import run_module_here
from tests.models.inspection.neighbours.test_states import load
from tests.refusals import Refusal, passed_on, refused

PAIRS = generate("reversal", 60, random.Random(0))


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    return load("reverse-gru")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store the states in several parts although one would do."""
    divide = subject.divide
    monkeypatch.setattr(subject, "divide", lambda examples: divide(examples, max_steps=100))


@pytest.mark.usefixtures("small_parts")
def test_stored_states_are_read_as_written(tmp_path: Path, checkpoint: Checkpoint) -> None:
    reports: list[tuple[int, int, int]] = []
    index = store_states(tmp_path, checkpoint, PAIRS, lambda *report: reports.append(report))
    stored, expected = open_states(tmp_path, checkpoint), states_at_once(checkpoint, PAIRS)
    assert stored is not None
    assert len(stored.parts) == index.parts > 3
    assert reports[-1] == (index.parts, index.parts, index.steps)
    assert stored.pairs == 60
    for kind in STATE_KINDS:
        assert stored.count(kind) == expected.count(kind)
    for part, other in zip(stored.parts, expected.parts, strict=True):
        assert part.pairs == other.pairs
        for kind in STATE_KINDS:
            for one, two in zip(
                vars(part.tables[kind]).values(), vars(other.tables[kind]).values(), strict=True
            ):
                assert torch.equal(one, two)


@pytest.mark.usefixtures("small_parts")
def test_a_stopped_store_continues_after_its_last_part(
    tmp_path: Path, checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(done: int, parts: int, steps: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store_states(tmp_path, checkpoint, PAIRS, stop)
    assert open_states(tmp_path, checkpoint) is None
    computed, states = [], subject.states
    monkeypatch.setattr(subject, "states", lambda *arguments: computed.append(1) or states(*arguments))
    index = store_states(tmp_path, checkpoint, PAIRS)
    assert len(computed) == index.parts - 2
    stored = open_states(tmp_path, checkpoint)
    assert stored is not None
    assert stored.pairs == 60


def test_other_pairs_replace_the_stored_ones(tmp_path: Path, checkpoint: Checkpoint) -> None:
    store_states(tmp_path, checkpoint, PAIRS)
    store_states(tmp_path, checkpoint, PAIRS[:20])
    stored, folder = open_states(tmp_path, checkpoint), folder_of(tmp_path, checkpoint.name)
    assert stored is not None
    assert stored.pairs == 20
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == [
        json.loads((folder / STORE_INDEX).read_text())["folder"]
    ]


def test_the_states_of_other_weights_are_refused(tmp_path: Path, checkpoint: Checkpoint) -> None:
    store_states(tmp_path, checkpoint, PAIRS[:5])
    digests = dict.fromkeys(checkpoint.config.sha256, "0" * 64)
    other_weights = replace(checkpoint, config=replace(checkpoint.config, sha256=digests))
    with refused(StateStoreError, "states_of_other_weights"):
        open_states(tmp_path, other_weights)
    unsaved = replace(checkpoint, config=replace(checkpoint.config, sha256={}))
    before = fingerprint(unsaved)
    assert before == fingerprint(unsaved) != fingerprint(checkpoint)
    other = replace(unsaved, model=load("reverse-lstm").model)
    assert fingerprint(other) != before


def test_damaged_files_are_reported(tmp_path: Path, checkpoint: Checkpoint) -> None:
    index = store_states(tmp_path, checkpoint, PAIRS[:5])
    (part,) = (folder_of(tmp_path, checkpoint.name) / index.folder).iterdir()
    part.write_bytes(part.read_bytes()[:1000])
    with refused(StateStoreError, "states_damaged"):
        open_states(tmp_path, checkpoint)
    part.unlink()
    with refused(StateStoreError, "states_damaged"):
        open_states(tmp_path, checkpoint)
    (folder_of(tmp_path, checkpoint.name) / STORE_INDEX).write_text("{}")
    with refused(StateStoreError, "states_damaged"):
        open_states(tmp_path, checkpoint)


def test_any_damage_of_a_file_is_reported_or_harmless(tmp_path: Path, checkpoint: Checkpoint) -> None:
    index = store_states(tmp_path, checkpoint, PAIRS[:5])
    folder = folder_of(tmp_path, checkpoint.name)
    (part,) = (folder / index.folder).iterdir()
    chance, reports = random.Random(7), 0
    for file in (part, folder / STORE_INDEX):
        content = file.read_bytes()
        for _ in range(60):
            start, length = chance.randrange(min(len(content), 1500)), chance.choice((1, 1, 8))
            damaged = content[:start] + chance.randbytes(length) + content[start + length :]
            damaged = content.replace(b"[", b"[1,", 1) if length == 8 and chance.random() < 0.3 else damaged
            file.write_bytes(damaged)
            try:
                store = open_states(tmp_path, checkpoint)
            except StateStoreError:
                reports += 1
                continue
            assert store is not None
            for part_read in store.parts:
                for table in part_read.tables.values():
                    assert {len(getattr(table, column)) for column in TABLE_COLUMNS} == {len(table)}
                    assert all(part_read.pairs[int(number)] for number in table.pairs)
        file.write_bytes(content)
    assert reports > 60


@pytest.mark.usefixtures("small_parts")
def test_a_full_disk_leaves_the_stored_states(
    tmp_path: Path, checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_states(tmp_path, checkpoint, PAIRS[:5])
    write = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if "00001" in path.name:
            write(path, content[:10])
            raise OSError(28, "No space left on device")
        return write(path, content)

    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_bytes", full)
        with refused(StateStoreError, "states_not_stored", "No space left on device"):
            store_states(tmp_path, checkpoint, PAIRS)
    stored = open_states(tmp_path, checkpoint)
    assert stored is not None
    assert stored.pairs == 5
    assert not list(tmp_path.rglob("*.partial"))


def test_two_commands_do_not_write_at_once(tmp_path: Path, checkpoint: Checkpoint) -> None:
    folder = folder_of(tmp_path, checkpoint.name)
    folder.mkdir()
    with FileLock(folder / STORE_LOCK), refused(StateStoreError, "states_being_stored"):
        store_states(tmp_path, checkpoint, PAIRS)


def test_no_name_points_outside_the_folder(tmp_path: Path) -> None:
    for name in ("../../etc", "..", "/etc", "owner/name", ".", ""):
        assert folder_of(tmp_path, name).parent == tmp_path
        assert folder_of(tmp_path, name).resolve() != tmp_path.resolve()


@pytest.mark.slow
def test_the_command_reports_its_parts_and_the_omitted_pairs(tmp_path: Path) -> None:
    command = ["models.inspection.neighbours", "--store", str(tmp_path), "--checkpoint", "reverse-gru"]
    printed = run_module_here(*command, "--generated", "30", "--most", "100").stdout.splitlines()
    assert printed[0].startswith("part 1 of 1: ")
    assert "pairs left out" in printed[-1]
    assert open_states(tmp_path, load("reverse-gru")) is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["--checkpoint", "spa-eng-gru", "--generated", "9"], ("pairs_needed",)),
        (["--checkpoint", "no-such", "--generated", "9"], ("no_such_checkpoint", "no-such")),
        (["--checkpoint", "reverse-gru", "--pairs", "nowhere.tsv"], ("file_unreadable", "nowhere.tsv")),
    ],
)
def test_an_impossible_command_is_refused_in_a_sentence(
    arguments: list[str], refusal: Refusal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with passed_on(SystemExit, *refusal):
        main([*arguments, "--store", str(tmp_path)])


def test_a_pair_of_a_file_is_read_in_the_checkpoints_direction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    file = tmp_path / "pairs.tsv"
    file.write_text("The house.\tLa casa.\n", encoding="utf-8")
    main(["--checkpoint", "spa-eng-gru", "--pairs", str(file), "--store", str(tmp_path)])
    stored = open_states(tmp_path, load("spa-eng-gru"))
    assert stored is not None
    assert stored.parts[0].pairs == (("La casa.", "The house."),)

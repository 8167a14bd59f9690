"""Files can be read after their process was killed while saving, or after the disk was full."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import count, cycle
from pathlib import Path
from typing import Any

import pytest
import torch

from models.corpus.corrections import CorrectionSet
from models.corpus.pairs import DataError
from models.registry.checkpoint import CONFIG, TOKENIZER, WEIGHTS, load_checkpoint
from models.training.launch.launcher import TrainingLimits
from models.training.runs.collection import RunError, Runs
from models.training.runs.request import RunRequest, RunState, RunStatus
from models.training.runs.run_folder import Run
from models.whole_file import write_together, write_whole
from tests.demo.conftest import make_checkpoint
from tests.fakes.training.processes import events_of
from tests.fakes.training.small_run import CONFIG as RECIPE
from tests.faults.children import at_once, killed_while, needs_fork, on_a_small_disk
from tests.fuzz.world import VISITOR, EndingLauncher
from tests.grids import release_only

pytestmark = [pytest.mark.slow, needs_fork]
CPU = torch.device("cpu")
EVERY_SEED = pytest.mark.parametrize("seed", [0, 1, *release_only(range(2, 20))])


@pytest.fixture(scope="module")
def saves(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mapping[str, bytes], ...]:
    """The files of two checkpoints that have no file in common."""
    root = tmp_path_factory.mktemp("saves")
    for name, kind in (("letters", "character"), ("words", "word")):
        make_checkpoint(root, name, kind)
    return tuple(
        {file: (root / name / file).read_bytes() for file in (WEIGHTS, TOKENIZER, CONFIG)}
        for name in ("letters", "words")
    )


def moment(seed: int) -> float:
    """Return the seconds until a kill, enough for hundreds of saves."""
    return random.Random(seed).uniform(0.005, 0.08)


def files_of(folder: Path) -> dict[str, bytes]:
    """Load a checkpoint and return its files."""
    load_checkpoint(folder, CPU)
    return {file: (folder / file).read_bytes() for file in (WEIGHTS, TOKENIZER, CONFIG)}


@EVERY_SEED
def test_a_killed_save_leaves_the_old_or_the_new_checkpoint(
    saves: tuple[Mapping[str, bytes], ...], tmp_path: Path, seed: int
) -> None:
    write_together(tmp_path, saves[0])
    turns = cycle(saves)
    killed_while(lambda: write_together(tmp_path, next(turns)), moment(seed))
    assert files_of(tmp_path) in saves
    write_together(tmp_path, saves[1])
    assert files_of(tmp_path) == saves[1]


@pytest.mark.parametrize("replaced", range(3))
def test_a_save_that_ended_between_two_files_is_finished_by_the_next_reader(
    saves: tuple[Mapping[str, bytes], ...], tmp_path: Path, replaced: int
) -> None:
    old, new = saves
    write_together(tmp_path, old)
    for index, (file, content) in enumerate(new.items()):
        (tmp_path / (file if index < replaced else f"{file}.partial")).write_bytes(content)
    assert files_of(tmp_path) == (new if replaced else old)


@EVERY_SEED
def test_a_full_disk_leaves_the_whole_old_checkpoint(
    saves: tuple[Mapping[str, bytes], ...], tmp_path: Path, seed: int
) -> None:
    old, new = saves
    write_together(tmp_path, old)
    size = random.Random(seed).randrange(max(map(len, new.values())))
    on_a_small_disk(lambda: write_together(tmp_path, new), size, OSError)
    assert files_of(tmp_path) == old
    assert not list(tmp_path.glob("*.partial"))


@EVERY_SEED
def test_a_killed_replacement_leaves_the_old_or_the_new_file(tmp_path: Path, seed: int) -> None:
    """The state, request and status of a run are such files."""
    contents = tuple(bytes([number]) * 3_000_000 for number in range(3))
    file, turns = tmp_path / "state", cycle(contents)
    write_whole(file, contents[0])
    killed_while(lambda: write_whole(file, next(turns)), moment(seed))
    content = file.read_bytes()
    assert content in contents
    on_a_small_disk(lambda: write_whole(file, contents[1]), random.Random(seed).randrange(3_000_000), OSError)
    assert file.read_bytes() == content


@EVERY_SEED
def test_a_kill_or_a_full_disk_loses_no_correction(tmp_path: Path, seed: int) -> None:
    correction_set, numbers = CorrectionSet(tmp_path / "taught", VISITOR), count()

    def teach() -> Any:
        return correction_set.add(str(next(numbers)), "x" * 400, "y" * 400, "m")

    killed_while(teach, moment(seed))
    corrections = correction_set.all()
    assert [correction.source for correction in corrections] == [
        str(number) for number in range(len(corrections))
    ]
    size = correction_set.path.stat().st_size if correction_set.path.exists() else 0
    on_a_small_disk(
        lambda: [teach() for _ in range(9)], size + random.Random(seed).randrange(2_000), DataError
    )
    assert correction_set.all()[: len(corrections)] == corrections
    last = correction_set.add("last", "x", "", "m")
    assert correction_set.all()[-1] == last


@EVERY_SEED
def test_runs_that_are_created_while_the_server_is_killed_can_be_read(tmp_path: Path, seed: int) -> None:
    runs = Runs(tmp_path)

    def create() -> None:
        runs.create(RunRequest.new("A run", RECIPE, VISITOR, device="cpu"), {"pairs.tsv": "a\tb\n" * 20_000})

    killed_while(create, moment(seed))
    for run in Runs(tmp_path).of(VISITOR):
        assert run.state() in (RunState.QUEUED, RunState.LOST)
        assert run.sentence()
        assert events_of(run) is not None


@EVERY_SEED
def test_a_run_on_a_full_disk_is_refused_and_unchanged(tmp_path: Path, seed: int) -> None:
    launcher = EndingLauncher(Runs(tmp_path), TrainingLimits(root=tmp_path))
    run = launcher.start(RunRequest.new("A run", RECIPE, VISITOR, device="cpu"))
    status, size = run.status_file.read_bytes(), random.Random(seed).randrange(100)
    on_a_small_disk(lambda: launcher.resume(run), size, RunError)
    other = RunRequest.new("Another", RECIPE, VISITOR, device="cpu")
    on_a_small_disk(lambda: launcher.start(other), size, RunError)
    assert run.status_file.read_bytes() == status
    assert Runs(tmp_path).of(VISITOR) == (run,)


@EVERY_SEED
def test_two_servers_on_one_folder_lose_no_correction(tmp_path: Path, seed: int) -> None:
    def server(name: str) -> Iterator[str]:
        correction_set, chance = CorrectionSet(tmp_path / "taught", VISITOR), random.Random(f"{name} {seed}")
        for number in range(6):
            new = correction_set.add(f"{name} {number}", "x", "", "m")
            if chance.random() < 0.4:
                correction_set.remove(new.id)
            else:
                yield new.source

    at_once(lambda: list(server("one")), lambda: list(server("two")))
    sources = {correction.source for correction in CorrectionSet(tmp_path / "taught", VISITOR).all()}
    chances = {name: random.Random(f"{name} {seed}") for name in ("one", "two")}
    assert sources == {
        f"{name} {number}"
        for name, chance in chances.items()
        for number in range(6)
        if chance.random() >= 0.4
    }


@EVERY_SEED
def test_two_servers_on_one_folder_start_one_run_for_a_visitor(tmp_path: Path, seed: int) -> None:
    class QueueingLauncher(EndingLauncher):
        """A launcher whose runs stay queued."""

        def _begin(self, run: Run) -> None:
            """Do nothing."""

    class SlowRuns(Runs):
        """A folder of runs on a slow disk."""

        def active_requests(self) -> dict[Run, RunRequest]:
            runs = super().active_requests()
            time.sleep(random.Random(seed).uniform(0.05, 0.15))
            return runs

    def server() -> None:
        launcher = QueueingLauncher(SlowRuns(tmp_path), TrainingLimits(root=tmp_path))
        with suppress(RunError):
            launcher.start(RunRequest.new("A run", RECIPE, VISITOR, device="cpu"))

    at_once(server, server, server)
    (run,) = Runs(tmp_path).of(VISITOR)
    assert run.state() is RunState.QUEUED


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_dead_run_is_lost_at_any_setting_of_the_clock(tmp_path: Path, hours: int) -> None:
    run = Runs(tmp_path).create(RunRequest.new("A run", RECIPE, VISITOR, device="cpu"))
    heartbeat = 1_000_000.0
    run.write_status(RunStatus(RunState.RUNNING, heartbeat))
    assert run.state(heartbeat + 1) is RunState.RUNNING
    assert run.state(heartbeat + 3600 * hours) is RunState.LOST

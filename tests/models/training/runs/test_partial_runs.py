"""A run exists with all of its files or not at all, also if its process is killed while it is created."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from models.training.runs.collection import Runs
from models.training.runs.request import RunRequest, RunStatus, new_token
from models.training.runs.run_folder import PARTIAL, Run
from tests.fakes.training.small_run import CONFIG


def request() -> RunRequest:
    return RunRequest.new("A run", CONFIG, new_token(), device="cpu")


def test_a_folder_that_is_being_filled_is_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, names = Runs(tmp_path), []
    order = request()
    write = Run.write_status

    def write_and_list(run: Run, status: RunStatus) -> None:
        names.append([path.name for path in tmp_path.iterdir()])
        assert not tuple(runs.active_requests())
        write(run, status)

    monkeypatch.setattr(Run, "write_status", write_and_list)
    run = runs.create(order, {"train.tsv": "a\tb\n"})
    assert names == [[f"{PARTIAL}{order.id}"]]
    assert (run.data / "train.tsv").read_text() == "a\tb\n"
    assert tuple(runs.active_requests()) == (run,)


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    for name, age in (("abandoned", 7200), ("under-way", 0)):
        folder = tmp_path / f"{PARTIAL}{name}-0123456789ab" / "data"
        folder.mkdir(parents=True)
        os.utime(folder.parent, (time.time() - age,) * 2)
    run = Runs(tmp_path).create(request())
    assert {path.name for path in tmp_path.iterdir()} == {f"{PARTIAL}under-way-0123456789ab", run.id}

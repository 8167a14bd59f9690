"""Downloads of a run, also while it is active."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from demo.training.work.archive import run_archive
from demo.work.training_service import checkpoint_of
from models.registry.checkpoint import CONFIG, load_checkpoint, save_checkpoint
from models.training.events import event_json
from models.training.runs.collection import Runs
from models.training.runs.request import RunRequest, new_token
from models.training.runs.run_folder import Run
from tests.fakes.training.processes import events_of
from tests.fakes.training.small_run import CONFIG as TINY
from tests.fakes.training.small_run import run as train_small

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def trained(runs: Runs) -> Run:
    """A run as its process leaves it, without the process."""
    config = replace(TINY, epochs=1)
    run = runs.create(RunRequest.new("A <b>run</b>", config, new_token(), device="cpu"))
    events = train_small(config, run.folder)
    run.events_file.write_text("".join(event_json(event) + "\n" for event in events), encoding="utf-8")
    return run


def test_the_folder_holds_what_a_checkpoint_needs_and_nothing_else(
    runs: Runs, trained: Run, tmp_path: Path
) -> None:
    (trained.best / "model.safetensors.partial").write_bytes(b"half")
    path = run_archive(trained, runs, events_of(trained), tmp_path)
    assert path.name == "tiny.zip"
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        archive.extractall(tmp_path / "out")
    curves = {name for name in names if "/tensorboard/" in name}
    assert len(curves) == 1
    assert not [name for name in names if trained.id in name]  # it is a secret
    assert names - curves == {
        f"tiny/{name}"
        for name in (
            "config.json",
            "model.safetensors",
            "tokenizer.json",
            "recipe.json",
            "README.md",
            "example.json",
            "events.jsonl",
            "metrics.csv",
            "HOW-TO-USE.txt",
        )
    }
    assert load_checkpoint(tmp_path / "out" / "tiny", CPU).name == "tiny"
    assert (tmp_path / "out/tiny/events.jsonl").read_bytes() == trained.events_file.read_bytes()
    assert "run.json" not in names  # the owner's file stays here


def test_the_program_in_how_to_use_runs(runs: Runs, trained: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(run_archive(trained, runs, events_of(trained), tmp_path)) as archive:
        archive.extractall(tmp_path)
    _, program = (tmp_path / "tiny/HOW-TO-USE.txt").read_text().split("\n\n", 1)
    names: dict[str, Any] = {}
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        exec(program, names)
    finally:
        os.chdir(here)
    assert names["checkpoint"].config.task == "reversal"


def test_a_checkpoint_saved_during_the_download_is_complete(
    runs: Runs, trained: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A save happens between reading config and weights, so one is old and the other new."""
    write, late = zipfile.ZipFile.write, []

    def write_and_be_late(archive: zipfile.ZipFile, file: Path, name: str) -> None:
        write(archive, file, name)
        if name.endswith(CONFIG) and not late:
            late.append(name)
            checkpoint = load_checkpoint(trained.best, CPU)
            with torch.no_grad():
                next(checkpoint.model.parameters()).add_(1)
            save_checkpoint(trained.best, checkpoint)

    monkeypatch.setattr(zipfile.ZipFile, "write", write_and_be_late)
    with zipfile.ZipFile(run_archive(trained, runs, events_of(trained), tmp_path)) as archive:
        archive.extractall(tmp_path)
    assert late
    weights = load_checkpoint(tmp_path / "tiny", CPU).model.state_dict()
    for name, tensor in load_checkpoint(trained.best, CPU).model.state_dict().items():
        assert torch.equal(weights[name], tensor)


def test_the_best_checkpoint_precedes_the_last_and_a_new_run_has_none(runs: Runs) -> None:
    run = runs.create(RunRequest.new("x", TINY, new_token(), device="cpu"))
    assert checkpoint_of(run) is None
    for folder in (run.last, run.best):
        folder.mkdir()
        assert checkpoint_of(run) != folder  # half written
        (folder / CONFIG).write_text(json.dumps({}))
        assert checkpoint_of(run) == folder

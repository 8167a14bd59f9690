"""`python -m models.training --recipe NAME`: a checkpoint and its data are made again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.corpus.files.reading import read_pairs
from models.corpus.public.prepare import prepare
from models.networks.config import ConfigError
from models.registry.checkpoint import load_config
from models.training import __main__ as program
from models.training.events import RunFailed, RunFinished, RunStarted, TrainingEvent, parse_event
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import DataConfig
from tests.fakes.servers.corpus_publisher import Publisher, sentence_archive
from tests.fakes.training.small_run import CONFIG
from tests.messages import says
from tests.refusals import Refusal, refused
from tests.waiting import wait

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]
Outcome = tuple[int, list[TrainingEvent], str]
DATA = {"task": "translation", "train": "train.tsv.gz", "valid": "valid.tsv", "corpus": "eng-spa"}


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    server = Publisher({"spa-eng.zip": sentence_archive()})
    yield server
    server.close()


class TrainingCommand:
    """A folder with checkpoints, a cache and runs of its own, in which the program runs."""

    def __init__(
        self, folder: Path, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder, self.cache = folder, folder / "cache"
        self.monkeypatch, self.capsys = monkeypatch, capsys
        monkeypatch.chdir(folder)
        monkeypatch.setenv("UNROLLED_CORPORA", str(self.cache))
        monkeypatch.setenv("UNROLLED_CORPORA_URL", url)

    def recipe(self, checkpoint: str, **changes: Any) -> Path:
        """Write a checkpoint folder that has only a usable recipe, and return the recipe's path."""
        path = self.folder / "checkpoints" / checkpoint / "recipe.json"
        path.parent.mkdir(parents=True)
        recipe = {**CONFIG.to_dict(), "name": checkpoint, "epochs": 1, "data": DATA, **changes}
        path.write_text(json.dumps(recipe))
        (path.parent / "config.json").write_text("{}")
        return path

    def train(self, *flags: str) -> Outcome:
        """Train in this process: return exit code, events, standard error."""
        self.monkeypatch.setattr(sys, "argv", ["training", "--device", "cpu", *flags])
        try:
            code = program.main()
        except SystemExit as end:  # argparse
            code = int(end.code or 0)
        output = self.capsys.readouterr()
        return code, parsed(output.out), output.err


def parsed(text: str) -> list[TrainingEvent]:
    return [parse_event(line) for line in text.splitlines()]


@pytest.fixture
def work(
    tmp_path: Path, publisher: Publisher, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> TrainingCommand:
    return TrainingCommand(tmp_path, publisher.url, monkeypatch, capsys)


def test_a_recipe_is_run_again_with_its_data(work: TrainingCommand, publisher: Publisher) -> None:
    work.recipe("tiny-gru")
    code, events, errors = work.train("--recipe", "tiny-gru")
    assert code == 0, errors
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunFinished)
    pairs = read_pairs(work.cache / "eng-spa" / "train.tsv.gz")
    assert 0 < events[0].train_pairs <= len(pairs)
    assert errors.startswith("spa-eng.zip: 0.0 of 0.0 MB")
    run = work.folder / "runs" / "tiny-gru"
    assert load_config(run / "best").task == "translation"
    assert len((run / "events.jsonl").read_text().splitlines()) == len(events)
    assert TrainingConfig.load(run / "recipe.json").data.corpus == "eng-spa"
    publisher.status = 500
    code, again, errors = work.train("--recipe", "tiny-gru", "--output", "runs/again")
    assert (code, publisher.requests) == (0, ["/spa-eng.zip"])
    assert (work.folder / "runs" / "again" / "best" / "model.safetensors").exists()
    assert again[-1] == replace(events[-1], seconds=again[-1].seconds)  # type: ignore[attr-defined]


def test_given_data_are_used(work: TrainingCommand, publisher: Publisher) -> None:
    path = work.recipe("tiny-gru")
    prepare("eng-spa", output=work.folder / "mine")
    publisher.requests.clear()
    code, events, errors = work.train("--config", str(path), "--output", "run", "--data", "mine")
    assert (code, publisher.requests) == (0, []), errors
    assert isinstance(events[-1], RunFinished)


def test_a_config_that_names_a_corpus_needs_no_data(work: TrainingCommand) -> None:
    path = work.recipe("tiny-gru")
    code, events, errors = work.train("--config", str(path), "--output", "run")
    assert code == 0, errors
    assert isinstance(events[-1], RunFinished)


def test_a_supplement_lies_beside_the_recipe(work: TrainingCommand) -> None:
    path = work.recipe("tiny-gru", data={**DATA, "supplement": "more.tsv"})
    (path.parent / "more.tsv").write_text("Go.\tVe.\n")
    code, events, errors = work.train("--recipe", "tiny-gru")
    assert code == 0, (events, errors)


def test_a_generated_task_needs_no_network(work: TrainingCommand, publisher: Publisher) -> None:
    work.recipe("tiny-gru", data={"train_size": 50, "valid_size": 10})
    code, _, errors = work.train("--recipe", "tiny-gru")
    assert (code, errors, publisher.requests) == (0, "", [])


def test_a_publisher_that_fails_is_a_failed_run(work: TrainingCommand, publisher: Publisher) -> None:
    work.recipe("tiny-gru")
    publisher.status = 404
    code, events, errors = work.train("--recipe", "tiny-gru")
    assert code == 1
    assert isinstance(events[-1], RunFailed)
    assert says(events[-1].reason, "download_refused", status=404, file="spa-eng.zip")
    assert errors == ""
    assert [path.name for path in (work.folder / "runs" / "tiny-gru").iterdir()] == ["events.jsonl"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_ended_during_the_download_of_its_corpus_reports_the_end(
    number: int, work: TrainingCommand, publisher: Publisher
) -> None:
    work.recipe("tiny-gru")
    publisher.silent = True
    command = [sys.executable, "-m", "models.training", "--device", "cpu", "--recipe", "tiny-gru"]
    with subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        wait(lambda: bool(publisher.requests))
        child.send_signal(number)
        events = parsed(child.stdout.read())
    assert (child.returncode, events) == (130, [RunFailed("stopped before the training began")])
    assert parsed((work.folder / "runs" / "tiny-gru" / "events.jsonl").read_text()) == events
    assert list(work.cache.rglob("*.partial")) == []


def test_a_misspelled_recipe_is_reported_and_leaves_no_run(work: TrainingCommand) -> None:
    work.recipe("tiny-gru")
    code, events, _ = work.train("--recipe", "tiny-gur")
    reason = "There is no checkpoint 'tiny-gur'; did you mean 'tiny-gru'?"
    assert (code, events) == (1, [RunFailed(reason)])
    assert not (work.folder / "runs").exists()


def test_the_folder_of_checkpoints_can_be_another(work: TrainingCommand) -> None:
    work.recipe("tiny-gru", data={"train_size": 50, "valid_size": 10})
    shutil.move(work.folder / "checkpoints", work.folder / "elsewhere")
    assert work.train("--recipe", "tiny-gru")[0] == 1
    assert work.train("--recipe", "tiny-gru", "--root", "elsewhere")[0] == 0


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "one of the arguments --recipe --config is required"),
        (["--recipe", "a", "--config", "b"], "argument --config: not allowed with argument --recipe"),
        (["--config", "b"], "--config needs --output, a folder for the run"),
    ],
)
def test_missing_and_contradicting_arguments_are_refused(
    flags: list[str], message: str, work: TrainingCommand
) -> None:
    code, events, errors = work.train(*flags)
    assert (code, events) == (2, [])
    assert message in errors
    assert list(work.folder.iterdir()) == []


def test_a_start_is_found_by_its_name(work: TrainingCommand) -> None:
    generated = {"train_size": 50, "valid_size": 10}
    work.recipe("tiny-gru", data=generated)
    assert work.train("--recipe", "tiny-gru")[0] == 0
    shutil.copytree(work.folder / "runs/tiny-gru/best", work.folder / "checkpoints/base-gru")
    work.recipe("tuned-gru", data=generated, start="base-gru")
    code, events, errors = work.train("--recipe", "tuned-gru")
    assert code == 0, errors
    assert isinstance(events[-1], RunFinished)
    assert work.train("--recipe", "tuned-gru", "--start", "checkpoints/none")[0] == 1  # the argument wins
    work.recipe("lost-gru", data=generated, start="nowhere-gru")
    code, events, _ = work.train("--recipe", "lost-gru")
    assert code == 1
    assert isinstance(events[-1], RunFailed)
    assert says(events[-1].reason, "start_without_folder", name="'nowhere-gru'")
    flags = "--recipe", "lost-gru", "--start", "checkpoints/base-gru"
    assert work.train(*flags)[0] == 0


@pytest.mark.parametrize(
    ("data", "refusal"),
    [
        ({"corpus": "eng-esp"}, ("not_one_of", "data.corpus", "eng-esp")),
        ({"corpus": 3}, ("not_one_of", "data.corpus", "3")),
        ({"task": "reversal"}, ("corpus_for_task", "reversal")),
    ],
)
def test_a_corpus_is_a_known_one_for_a_task_from_files(data: dict[str, Any], refusal: Refusal) -> None:
    assert DataConfig(**DATA).corpus == "eng-spa"
    with refused(ConfigError, *refusal):
        DataConfig(**{**DATA, **data})


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("checkpoints/*/recipe.json")), ids=lambda path: path.parent.name
)
def test_every_shipped_recipe_of_translation_names_its_corpus(path: Path) -> None:
    data = TrainingConfig.load(path).data
    assert bool(data.corpus) == (data.task == "translation")
    assert data.corpus == "" or (data.train, data.valid) == ("train.tsv.gz", "valid.tsv")

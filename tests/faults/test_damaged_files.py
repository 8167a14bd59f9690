"""Random JSON in every file that the program reads: each reader returns a typed value or a known error."""

from __future__ import annotations

import json
import logging
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch

from demo.trace.payload import trace_payload
from demo.training.run.component import run_payload
from demo.training.run_handlers import on_poll, on_rest, on_stop, on_visit
from demo.training.work.run_report import RunReports
from demo.work.context import AppContext
from demo.work.training_service import TrainingService
from models.corpus.corrections import CorrectionSet
from models.decoding.record.untrusted import read_untrusted
from models.errors import Message, UnrolledError
from models.evaluation.command import task_recipe
from models.hub.settings import HubSettings
from models.hub.storage.store import SOURCE_FILE, HubStore, Source
from models.inspection.neighbours.store import STORE_INDEX, Index, folder_of, open_states
from models.records import conform
from models.registry.checkpoint import CONFIG, TOKENIZER
from models.registry.registry import EXAMPLE, QUALITY, Registry
from models.tokenization.tokenizer import Tokenizer
from models.training.events import check_number, event_json
from models.training.launch.launcher import TrainingLimits
from models.training.recipe.config import TrainingConfig
from models.training.runs.collection import Runs
from models.training.runs.request import STOPPED, RunRequest, RunState, RunStatus
from tests.demo.conftest import LETTERS, make_checkpoint
from tests.fakes.training.run_events import completed, evaluated, probed, started
from tests.fakes.training.small_run import CONFIG as RECIPE
from tests.fuzz.values import any_value, perhaps_changed
from tests.fuzz.world import VISITOR, EndingLauncher
from tests.grids import full_only, release_only

ROOT = Path(__file__).parents[2]
EVENTS = (started(), completed(1), evaluated(4), probed(4))
WHOLE: tuple[Any, ...] = (None, 1, [1], "x", True, [], {}, 10**400, -1.5, float("nan"), float("inf"))
DEEP, LONG_NUMBER, HALF_A_PAIR = "[" * 100_000, "1" * 5_000, '"\\ud800"'
TEXTS = (DEEP, '{"a":' * 2_000, LONG_NUMBER, HALF_A_PAIR, "", "{", "\x00", "nul", '{"a": 1e999}')


@dataclass(frozen=True)
class StoredFile:
    """A file that the program reads, its right content, and all its readers."""

    file: Path
    right: Any
    readers: tuple[Callable[[], Any], ...]
    lines: bool = False  # JSON Lines


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, StoredFile]:
    """Every file of a run, a checkpoint, a visitor and the caches."""
    root = tmp_path_factory.mktemp("damaged")
    (root / "checkpoints").mkdir()
    make_checkpoint(root / "checkpoints", LETTERS, "character")
    return {**files_of_a_run(root), **files_of_a_checkpoint(root), **other_files(root)}


def files_of_a_run(root: Path) -> dict[str, StoredFile]:
    limits = TrainingLimits(root=root / "runs")
    run = EndingLauncher(Runs(limits.root), limits).start(RunRequest.new("A", RECIPE, VISITOR, device="cpu"))
    shutil.copytree(root / "checkpoints" / LETTERS, run.best)
    run.write_status(RunStatus(RunState.STOPPED, time.time(), message=STOPPED, owner=run.request.owner))

    def server() -> AppContext:
        """A server that has read nothing yet."""
        runs = Runs(limits.root)
        training = TrainingService(runs, EndingLauncher(runs, limits), limits)
        registry = Registry(root / "checkpoints", training.checkpoint_folder)
        return AppContext(registry, "cpu", training=training)

    def read() -> None:
        context = server()
        assert context.training is not None
        runs, reports = context.training.runs, RunReports(context.training.runs)
        runs.of(VISITOR), tuple(runs.active_requests()), run.state(), run.sentence(), run.log_tail()
        run_payload(reports.report(runs.find(run.id), (run,)))
        on_visit(context, run.id, VISITOR)
        on_poll(context, reports, VISITOR, run.id, [run.id])
        on_rest(context, reports, "", VISITOR, run.id, [])
        on_stop(context, run.id)
        context.label(run.id)

    readers = (read, run.status, lambda: run.events()[0], lambda: Runs(limits.root).request(run))
    return {
        "run": StoredFile(run.request_file, run.request.to_dict(), readers),
        "status": StoredFile(run.status_file, json.loads(run.status().to_json()), readers),
        "events": StoredFile(run.events_file, [json.loads(event_json(one)) for one in EVENTS], readers, True),
    }


def files_of_a_checkpoint(root: Path) -> dict[str, StoredFile]:
    folder = root / "checkpoints" / LETTERS
    registry = Registry(root / "checkpoints")
    context = AppContext(registry, "cpu")
    shutil.copy(ROOT / "checkpoints" / "reverse-gru" / QUALITY, folder / QUALITY)
    RECIPE.save(folder / "recipe.json")

    def read(*readers: Callable[[], Any]) -> tuple[Callable[[], Any], ...]:
        return (*readers, lambda: context.default_checkpoint)

    def right(name: str) -> Any:
        return json.loads((folder / name).read_text(encoding="utf-8"))

    def example() -> str:
        return trace_payload(registry.example(LETTERS))

    loads = (
        lambda: registry.tokenizer(LETTERS),
        lambda: registry.load(LETTERS, torch.device("cpu")).name,
        lambda: context.title(LETTERS),
    )
    recipes = (lambda: task_recipe(folder), lambda: TrainingConfig.load(folder / "recipe.json"))
    return {
        "config": StoredFile(folder / CONFIG, right(CONFIG), read(lambda: registry.config(LETTERS), *loads)),
        "tokenizer": StoredFile(
            folder / TOKENIZER, right(TOKENIZER), read(*loads, lambda: Tokenizer.load(folder / TOKENIZER))
        ),
        "example": StoredFile(folder / EXAMPLE, right(EXAMPLE), read(example)),
        "quality": StoredFile(
            folder / QUALITY, right(QUALITY), read(lambda: registry.quality_by_length(LETTERS))
        ),
        "recipe": StoredFile(folder / "recipe.json", right("recipe.json"), recipes),
    }


def other_files(root: Path) -> dict[str, StoredFile]:
    corrections = CorrectionSet(root / "corrections", VISITOR)
    correction = corrections.add("hola", "hello", "hi", LETTERS)
    source = Source("ann/mine", "main", "0" * 40, "own", 9, warnings=(Message("a", "b").to_dict(),))
    right_source = json.loads(json.dumps(asdict(source)))  # lists, as in the file
    store = HubStore(HubSettings(root=root / "hub"))
    (root / "hub" / "ann" / "mine").mkdir(parents=True)
    checkpoint = Registry(root / "checkpoints").load(LETTERS, torch.device("cpu"))
    states = folder_of(root / "states", LETTERS)
    states.mkdir(parents=True)
    trace = root / "trace.json"
    example = root / "checkpoints" / LETTERS / EXAMPLE

    def read_source() -> Source | None:
        source = store.source("ann/mine")
        for item in () if source is None else source.warnings:
            Message.from_dict(item)
        return source

    def read_trace() -> str:
        return trace_payload(read_untrusted(trace.read_text(encoding="utf-8")))

    return {
        "corrections": StoredFile(corrections.path, [asdict(correction)], (corrections.pairs,), True),
        "source": StoredFile(root / "hub" / "ann" / "mine" / SOURCE_FILE, right_source, (read_source,)),
        "states": StoredFile(
            states / STORE_INDEX,
            asdict(Index(LETTERS, "0", "0", 0, 0, 0, 0)),
            (lambda: open_states(root / "states", checkpoint),),
        ),
        "trace": StoredFile(trace, json.loads(example.read_text(encoding="utf-8")), (read_trace,)),
    }


def damaged_texts(random: Random, stored: StoredFile, count: int) -> Iterator[str]:
    """Whole values of a wrong kind, texts that are no JSON, then small changes at random places."""
    for value in WHOLE:
        yield json.dumps(value)
    yield from TEXTS
    for name in stored.right if isinstance(stored.right, dict) else ():
        for value in random.sample(WHOLE, 4):
            yield json.dumps({**stored.right, name: value})
    for _ in range(count):
        value = perhaps_changed(random, stored.right, 1.0) if random.random() < 0.9 else any_value(random)
        if stored.lines and isinstance(value, list):
            yield "\n".join(json.dumps(perhaps_changed(random, line)) for line in value) + "\n"
        else:
            yield json.dumps(value) + "\n"


NAMES = (
    *("run", "status", "events", "config", "tokenizer", "example", "quality", "recipe"),
    *("corrections", "source", "states", "trace"),
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *full_only([1]), *release_only(range(2, 20))])
@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_file_gives_typed_values_or_known_errors(
    files: Mapping[str, StoredFile], caplog: pytest.LogCaptureFixture, name: str, seed: int
) -> None:
    stored, unforeseen = files[name], {}
    right = stored.file.read_bytes() if stored.file.exists() else None
    for text in damaged_texts(Random(f"{seed} {name}"), stored, 30):
        stored.file.write_text(text, encoding="utf-8")
        for reader in stored.readers:
            try:
                check_types(reader())
            except UnrolledError:
                continue
            except BaseException as error:  # a library in another language may raise one
                unforeseen[f"{type(error).__name__}: {error}"[:200]] = text[:200]
    if right is not None:
        stored.file.write_bytes(right)
    assert not unforeseen, "\n".join(f"{k} {v}" for k, v in unforeseen.items())
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR], caplog.text


def test_every_file_is_damaged(files: Mapping[str, StoredFile]) -> None:
    assert set(NAMES) == files.keys()


def check_types(value: Any) -> None:
    """Raise unless a value, or each of a list, has the types that its class declares."""
    for item in value if type(value) in {list, tuple} else [value]:
        if isinstance(item, RunRequest):
            assert type(item.title) is type(item.owner) is type(item.start) is str
        elif is_dataclass(item) and not isinstance(item, TrainingConfig):  # a network has no fixed type
            conform("value", item, type(item), check_number)

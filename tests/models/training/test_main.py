"""`python -m models.training`: events on standard output and in the run folder, success in the exit code."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from models.networks.architectures import ARCHITECTURES
from models.training import __main__ as program
from models.training.events import RunFailed, RunFinished, RunStarted, RunStopped, TrainingEvent, parse_event
from tests.fakes.processes.programs import run_module_here
from tests.fakes.training.small_run import CONFIG
from tests.messages import says

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


def write(folder: Path, **changes: Any) -> Path:
    """A recipe with some settings changed."""
    path = folder / "recipe.json"
    path.write_text(json.dumps(CONFIG.to_dict() | {"epochs": 1} | changes))
    return path


def events(text: str) -> list[TrainingEvent]:
    return [parse_event(line) for line in text.splitlines()]


@pytest.fixture
def main(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """The program in this process: exit code, events, standard error."""

    def call(config: Path, *flags: str) -> tuple[int, list[TrainingEvent], str]:
        arguments = ["--config", str(config), "--output", str(tmp_path / "run"), "--device", "cpu", *flags]
        monkeypatch.setattr(sys, "argv", ["training", *arguments])
        code = program.main()
        output = capsys.readouterr()
        return code, events(output.out), output.err

    return call


def test_a_terminated_run_saves_first_and_can_be_resumed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "models.training", "--output", str(tmp_path / "run"), "--device", "cpu"]
    command += ["--config", str(write(tmp_path, epochs=100_000))]
    printed = []
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        for line in child.stdout:
            printed.append(line)
            if "StepCompleted" in line:
                child.terminate()
                break
        printed.append(child.stdout.read())
        errors = child.stderr.read()
    assert (child.returncode, errors) == (0, "")
    assert (tmp_path / "run" / "events.jsonl").read_text(encoding="utf-8") == "".join(printed)
    assert isinstance(events(printed[-1])[-1], RunStopped)
    assert (tmp_path / "run" / "state.safetensors").exists()
    assert (tmp_path / "run" / "last" / "model.safetensors").exists()


@pytest.mark.parametrize(("changes", "code"), [({}, 0), ({"network": {"architecture": "mamba"}}, 1)])
def test_the_program_prints_events_and_returns_a_status(
    changes: dict[str, Any], code: int, tmp_path: Path
) -> None:
    recipe, output = str(write(tmp_path, **changes)), str(tmp_path / "run")
    done = run_module_here("models.training", "--config", recipe, "--output", output, "--device", "cpu")
    assert done.returncode == code
    assert done.stderr == ""
    assert (tmp_path / "run" / "events.jsonl").read_text(encoding="utf-8") == done.stdout
    first, last = events(done.stdout)[0], events(done.stdout)[-1]
    if code == 0:
        assert isinstance(first, RunStarted)
        assert isinstance(last, RunFinished)
        assert (tmp_path / "run" / "best" / "model.safetensors").exists()
    else:
        assert isinstance(last, RunFailed)
        fields = {"name": "architecture", "allowed": ", ".join(ARCHITECTURES), "value": "'mamba'"}
        assert says(last.reason, "not_one_of", **fields)


@pytest.mark.parametrize(
    ("changes", "code", "fields"),
    [
        ({"epochs": "3"}, "not_whole", {"name": "epochs", "low": 1, "value": "'3'"}),
        ({"tokenizer": {"kind": "bpe", "vocab_size": 10}}, "vocabulary_too_small_for_letters", {"size": 10}),
        (
            {"data": {"task": "translation", "train": "a.tsv", "valid": "b.tsv"}},
            "file_unreadable",
            {"name": "a.tsv"},
        ),
        ({"data": {"max_pieces": 1}}, "no_short_pair", {"limit": 1}),
    ],
)
def test_an_impossible_recipe_fails_with_a_sentence(
    changes: dict[str, Any], code: str, fields: dict[str, object], tmp_path: Path, main: Any
) -> None:
    status, output, errors = main(write(tmp_path, **changes))
    assert (status, errors) == (1, "")
    assert isinstance(output[-1], RunFailed)
    assert says(output[-1].reason, code, **fields)


def test_a_missing_recipe_fails_with_a_sentence(tmp_path: Path, main: Any) -> None:
    code, output, _ = main(tmp_path / "nowhere.json")
    assert code == 1
    assert isinstance(output[-1], RunFailed)
    assert says(output[-1].reason, "cannot_be_read", name="nowhere.json")


def test_an_absent_device_fails_with_a_sentence(tmp_path: Path, main: Any) -> None:
    code, output, _ = main(write(tmp_path), "--device", "abacus")
    assert code == 1
    assert isinstance(output[-1], RunFailed)
    assert says(output[-1].reason, "no_such_device", name="'abacus'")


@pytest.mark.parametrize(
    ("error", "reason", "traced"),
    [
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device", False),
        (IndexError("list index out of range"), "IndexError: list index out of range", True),
    ],
)
def test_a_crash_is_reported(
    error: Exception, reason: str, traced: bool, tmp_path: Path, main: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(program, "train", crash)
    code, output, errors = main(write(tmp_path))
    assert (code, output) == (1, [RunFailed(reason)])
    assert ("Traceback" in errors) is traced


@pytest.mark.parametrize("remaining", ["state.safetensors", "last"])
def test_a_finished_run_is_not_overwritten(remaining: str, tmp_path: Path, main: Any) -> None:
    assert main(write(tmp_path))[0] == 0
    run = tmp_path / "run"
    if remaining == "last":
        (run / "state.safetensors").unlink()
    else:
        shutil.rmtree(run / "last")
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    code, output, _ = main(write(tmp_path, epochs=2))
    message = f"{run} holds a run already: continue it with --resume, or choose another --output"
    assert (code, output) == (1, [RunFailed(message)])
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_a_run_that_failed_at_once_can_be_started_again(tmp_path: Path, main: Any) -> None:
    assert main(tmp_path / "nowhere.json")[0] == 1
    assert main(write(tmp_path))[0] == 0


def test_a_second_run_adds_to_the_log(tmp_path: Path, main: Any) -> None:
    _, first, _ = main(write(tmp_path))
    code, second, _ = main(write(tmp_path), "--resume")
    assert code == 0
    assert isinstance(second[0], RunStarted)
    assert isinstance(first[-1], RunFinished)
    assert second[0].resumed_at == first[-1].step
    log = (tmp_path / "run" / "events.jsonl").read_text(encoding="utf-8")
    assert events(log) == first + second

"""`python -m models.evaluation.retrain`: what it proposes, drops and prints, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.evaluation.retrain import __main__ as command
from models.evaluation.retrain.__main__ import main
from models.training.recipe.config import FILES_TASK
from tests.models.evaluation.retrain.experiments import PAIRS
from tests.models.evaluation.retrain.planted_pairs import ROOT

SOURCE, OUTPUT, EXPECTED = (
    "17 August 2010",
    "2010-08-17",
    "2010-12-17",
)  # the shipped checkpoint writes OUTPUT


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of pairs, the third of them in line 4."""
    path = tmp_path / "train.tsv"
    lines = ["\t".join(pair) for pair in PAIRS]
    path.write_text("\n".join([*lines[:2], "", *lines[2:]]), encoding="utf-8")
    return path


def run(*arguments: object, name: str = "dates-transformer") -> int:
    options = ["--checkpoint", name, "--root", ROOT / "checkpoints", "--device", "cpu", *arguments]
    return main(list(map(str, options)))


def arguments_for(file: Path, *more: object) -> tuple[object, ...]:
    return "--training", file, "--source", SOURCE, "--wanted", EXPECTED, "--steps", 2, *more


@pytest.mark.slow
def test_the_command_names_lines_drops_them_and_compares_outputs(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "PROGRESS_SECONDS", 0.0)
    assert run(*arguments_for(file, "--drop", 2)) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == [f"dates-transformer writes: {OUTPUT}", f"wanted: {EXPECTED}"]
    header = printed.index(next(line for line in printed if line.startswith("line")))
    rows = printed[header + 1 : header + 7]
    lines = {"1": 0, "2": 1, "4": 2, "5": 3, "6": 4, "7": 5}  # line of the file to index of the pair
    assert {row.split()[0] for row in rows} == set(lines)
    assert all(row.endswith(" → ".join(PAIRS[lines[row.split()[0]]])) for row in rows)
    assert any("source words 1 (August)" in row for row in rows)
    last = printed[header + 7 :]
    assert last[0].startswith("fine-tuning on 5 pairs, and without 2 of them: 2 steps each, each pair is")
    assert last[0].endswith("1 pairs held out")
    assert [line.split(",")[0] for line in last[1:5]] == [f"step {number} of 4" for number in (1, 2, 3, 4)]
    assert last[5].startswith("with all pairs: ")
    assert "log-probability of the wrong text -" in last[6]
    assert last[7].startswith("without 2 of them: ")
    assert "not the wanted one" in last[9]
    assert "of 1 held-out outputs" in last[10]
    assert "95" not in last[10]
    assert last[-1].endswith("s in all, on cpu")


@pytest.mark.slow
def test_named_lines_are_dropped(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments_for(file, "--lines", "1, 7", "--held-out", 0)) == 0
    printed = capsys.readouterr().out
    assert "on 6 pairs, and without 2 of them" in printed
    assert "held-out outputs" not in printed


@pytest.mark.slow
def test_named_lines_are_corrected(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments_for(file, "--correct", 4, "1989-08-09", "--correct", 6, "1944-08-30")) == 0
    assert "\nwith 2 corrected: " in capsys.readouterr().out
    assert run(*arguments_for(file, "--correct", 4, "1989-08-09", "--lines", 1)) == 0
    assert "\nwithout 1 of them and with 1 corrected: " in capsys.readouterr().out


@pytest.mark.full
def test_a_generated_task_needs_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    question = ("--source", "abc", "--wanted", "abc", "--steps", 1, "--held-out", 3, "--drop", 1)
    assert run(*question, name="reverse-gru") == 0
    printed = capsys.readouterr().out
    assert "reverse-gru writes: cba" in printed
    assert "3 pairs held out" in printed
    assert "32 of the pairs are seen" in printed


@pytest.mark.parametrize(
    ("more", "printed"),
    [
        (("--source", " "), "--source is empty"),
        (("--wanted", ""), "--wanted is empty"),
        (("--wanted", OUTPUT), "The output is the wanted text already"),
        (("--drop", 0), "--drop must be at least 1; got 0"),
        (("--held-out", -1), "--held-out must be at least 0"),
        (("--lines", "4,x"), "such as 3,17; got 'x'"),
        (("--lines", "3"), "line 3 holds no training pair; the last is 7"),
        (("--lines", "1,2,4,5,6,7"), "none is left"),
        (("--correct", "x", "y"), "such as 17 'hi'; got 'x' 'y'"),
        (("--correct", 3, "y"), "line 3 holds no training pair"),
        (("--steps", 5000), "steps must be a whole number from 1 to 1000; got 5000"),
        (("--learning-rate", 2), "learning_rate must be a number from 0 to 0.1"),
        (("--training", "/nowhere.tsv"), "nowhere.tsv cannot be read"),
        (("--start", "shapes-captioner"), "shapes-captioner reads pictures"),
        (("--start", "nobody"), "There is no checkpoint 'nobody'"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(
    more: tuple[object, ...], printed: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments_for(file, *more)) == 1
    *notes, sentence = capsys.readouterr().err.splitlines()
    assert printed in sentence
    assert all(line.startswith(("train.tsv", "  ")) for line in notes)


def test_a_damaged_line_is_named(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("a\tb\nonly one\n", encoding="utf-8")
    run(*arguments_for(file))
    assert "line 2: " in capsys.readouterr().err


def test_a_task_of_files_needs_a_training_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert FILES_TASK == "translation"
    assert run("--source", "hola", "--wanted", "hi", name="spa-eng-gru") == 1
    assert "'spa-eng-gru' needs --training" in capsys.readouterr().err


def test_ctrl_c_ends_the_command_with_status_130(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "propose", interrupted)
    assert run(*arguments_for(file)) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "Stopped."

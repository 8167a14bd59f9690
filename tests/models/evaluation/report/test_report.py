"""A whole evaluation as data, as a table, and by its command."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from models.evaluation import __main__ as program
from models.evaluation.report.build import build_report, count_words
from models.evaluation.report.command import FORMULA_STARTS, safe, to_csv
from models.evaluation.report.evaluation_report import as_json
from models.evaluation.segments import segments_of_pairs
from tests.fakes.processes.programs import run_here
from tests.fakes.processes.two_processes import run_in_two
from tests.models.evaluation.results import OUTPUTS, result


def test_two_systems_are_compared_in_every_figure() -> None:
    report = build_report([result(), result(("one",) * 4, "theirs")])
    assert report.names == ["ours", "theirs"]
    assert [difference.metric for difference in report.differences] == ["BLEU", "chrF", "TER", "exact match"]
    assert [row.systems["ours"].output for row in report.rows] == list(OUTPUTS)
    assert [breakdown.name for breakdown in report.breakdowns] == ["length", "score"]
    ours = report.systems[0]
    assert ours.bleu.score == pytest.approx(ours.metric_scores[0].value, abs=1e-9)
    assert [order.total for order in ours.bleu.orders] == [9, 5, 3, 1]
    json.dumps(as_json(report))
    with pytest.raises(ValueError, match="system"):
        build_report([])


def test_training_data_add_a_breakdown() -> None:
    report = build_report([result()], training_targets=count_words(["the cat sleeps", "one dog"], "en"))
    assert [breakdown.name for breakdown in report.breakdowns] == ["length", "score", "frequency"]


def test_a_csv_report_has_no_formula() -> None:
    segments = segments_of_pairs([("=HYPERLINK(1)", "+1"), ("-2", "@x")])
    rows = list(csv.reader(io.StringIO(to_csv(build_report([result(("=1+1", "fine"), segments=segments)])))))
    assert rows[1][1:4] == ["'=HYPERLINK(1)", "'+1", "'=1+1"]
    assert rows[2][1:4] == ["'-2", "'@x", "fine"]
    assert not any(safe(cell).startswith(FORMULA_STARTS) for cell in ("=1", "\t=1", "plain"))


def test_external_scores_are_in_the_rows() -> None:
    segments = replace(segments_of_pairs([("uno", "one")]), scores={"COMET": (0.5,)})
    report = build_report([result(("one",), segments=segments)])
    assert report.rows[0].scores == {"COMET": 0.5}
    assert to_csv(report).splitlines()[0].startswith("line,source,references,COMET,ours: output")


def run(*arguments: str) -> CompletedProcess[str]:
    return run_here(program.main, "--device", "cpu", *arguments)


@pytest.mark.slow
def test_the_command_writes_every_kind_of_report(tmp_path: Path) -> None:
    data = tmp_path / "pairs.tsv"
    data.write_text(
        "source\treference\tother\nabc\tcba\tcba\nhello\tolleh\tno\nxyz\tno\tzyx\n", encoding="utf-8"
    )
    files = [tmp_path / f"report{suffix}" for suffix in (".html", ".json", ".csv")]
    options = [option for file in files for option in ("--report", str(file))]
    names = ("--checkpoint", "reverse-gru", "--checkpoint", "reverse-gru:strategy=greedy")
    done = run(*names, "--data", str(data), "--training", str(data), "--changes", "2", *options)
    assert (done.returncode, done.stdout.split()) == (0, [str(file) for file in files])
    report = json.loads(files[1].read_text(encoding="utf-8"))
    assert [system["name"] for system in report["systems"]] == [names[1], names[3], "other"]
    figures = {figure["name"]: figure["value"] for figure in report["systems"][0]["figures"]}
    alone = json.loads(
        run("--checkpoint", "reverse-gru", "--data", str(pairs_only(tmp_path))).stdout.splitlines()[-1]
    )
    for name, key in (
        ("BLEU", "bleu"),
        ("chrF", "chrf"),
        ("exact match", "exact_match"),
        ("perplexity", "perplexity"),
    ):
        assert figures[name] == pytest.approx(alone[key], abs=1e-3)
    assert report["systems"][0]["triage"]["bad"] == 1
    assert [item["system"] for item in report["changes"]] == [names[1], names[3]]  # no network for the third
    kinds = report["changes"][0]["kinds"]
    assert [kind["damage"] for kind in kinds] == sorted((kind["damage"] for kind in kinds), reverse=True)
    assert "<h2>Changed sources</h2>" in files[0].read_text(encoding="utf-8")


def pairs_only(folder: Path) -> Path:
    file = folder / "two.tsv"
    file.write_text("abc\tcba\nhello\tolleh\nxyz\tno\n", encoding="utf-8")
    return file


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--checkpoint", "reverse-gru", "--report", "x.pdf"), ".html, .json, .csv"),
        (("--report", "x.html"), "give a test set"),
        (("--checkpoint", "reverse-gru:size=3", "--report", "x.html"), "there is no setting 'size'"),
        (("--checkpoint", "nobody", "--report", "x.html"), "nobody"),
        (("--checkpoint", "reverse-gru", "--checkpoint", "reverse-rnn"), "--report"),
        ((), "--checkpoint NAME"),
        (("--checkpoint", "reverse-gru", "--pairs", "5", "--report", "/nowhere/x.html"), "cannot be written"),
    ],
)
def test_an_impossible_command_fails_with_a_sentence(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 1
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_report_that_cannot_be_written_is_printed(tmp_path: Path) -> None:
    """The system refuses to write a file under the name of a folder, as it does on a full disk."""
    (folder := tmp_path / "taken.html").mkdir()
    arguments = ("--checkpoint", "reverse-gru", "--pairs", "5", "--report", str(folder))
    done = run(*arguments)
    assert done.returncode == 1
    assert "cannot be written" in done.stderr.splitlines()[-1]
    assert json.loads(done.stdout[done.stdout.index("{") :])["systems"][0]["name"] == "reverse-gru"
    done = run(*arguments, "--report", str(table := tmp_path / "table.csv"))
    assert done.returncode == 1
    assert len(table.read_text(encoding="utf-8").splitlines()) == 6
    assert done.stdout == f"{table}\n"
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith("partial")] == []


@pytest.mark.full
def test_two_processes_find_the_figures_of_one(tmp_path: Path) -> None:
    arguments = ["--checkpoint", "dates-transformer", "--pairs", "40", "--device", "cpu"]
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    run_in_two("models.evaluation", *arguments, "--report", str(two))
    assert run(*arguments, "--report", str(one)).returncode == 0
    alone, together = (json.loads(path.read_text(encoding="utf-8")) for path in (one, two))
    for report in (alone, together):
        for system in report["systems"]:
            del system["seconds"]
    assert together == rounded(alone)


def rounded(value: object) -> object:
    """The report with rounded numbers, since other batches add up in another order."""
    if isinstance(value, float):
        return pytest.approx(value, abs=2e-3)
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value

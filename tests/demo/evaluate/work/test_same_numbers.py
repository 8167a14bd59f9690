"""Page, programs and command line say the same of the same pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from demo.api.endpoints import ENDPOINTS
from demo.evaluate.work.request import EvaluateRequest, requested_systems
from demo.evaluate.work.run import evaluate, translate_messages
from demo.work.context import AppContext
from models.corpus.files.formats import read_table_file
from models.evaluation import __main__ as program
from models.evaluation.report.evaluation_report import as_json
from models.evaluation.segments import segments_of_table
from models.registry.registry import Registry
from tests.fakes.processes.programs import run_here

CHECKPOINTS = Path(program.__file__).parents[2] / "checkpoints"
NAME = "reverse-gru"
PAIRS = (("abc", "cba"), ("hello", "olleh"), ("unrolled", "dellornu"), ("zwx", "zzz"))


def comparable(report: dict[str, Any]) -> dict[str, Any]:
    """The JSON of an answer without the time it took."""
    plain: dict[str, Any] = json.loads(json.dumps(report))
    for system in plain["systems"]:
        del system["seconds"]
    plain.pop("title", None)
    return plain


@pytest.mark.slow
def test_page_api_and_command_give_the_same_numbers(tmp_path: Path) -> None:
    data, path = tmp_path / "pairs.tsv", tmp_path / "report.json"
    data.write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS), encoding="utf-8")
    context = AppContext(Registry(CHECKPOINTS), "cpu")

    systems = requested_systems(
        [NAME], [{"strategy": "beam", "beam_size": 3}], context.config(NAME).max_length
    )
    page = evaluate(context, EvaluateRequest(systems, segments_of_table(read_table_file(data))))

    endpoint = next(endpoint for endpoint in ENDPOINTS if endpoint.name == "evaluate")
    request_values = {"checkpoint": NAME, "strategy": "beam", "beam_size": 3}
    request_values |= dict(zip(("sources", "references"), map(list, zip(*PAIRS, strict=True)), strict=True))
    values = [request_values.get(argument.name, argument.default) for argument in endpoint.arguments]
    answered = endpoint.handler(context, *values)

    options = ["--checkpoint", NAME, "--data", str(data), "--strategy", "beam", "--beam-size", "3"]
    ran = run_here(program.main, *options, "--device", "cpu", "--report", str(path))
    assert ran.returncode == 0, ran.stderr
    report = json.loads(path.read_text(encoding="utf-8"))

    assert comparable(as_json(translate_messages(page))) == comparable(answered) == comparable(report)

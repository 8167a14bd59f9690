"""The rows for the browser."""

from __future__ import annotations

import json

from demo.evaluate.parts.html_report import rows_payload
from models.evaluation.report.evaluation_report import BAD_BELOW_CHRF, EvaluationReport


def test_a_row_has_its_texts_and_each_systems_output(report: EvaluationReport) -> None:
    payload = rows_payload(report)
    assert payload["badBelow"] == BAD_BELOW_CHRF
    json.dumps(payload, allow_nan=False)
    assert payload["names"] == ["Greedy", "Beam 2", "other system"]
    first = payload["rows"][0]
    assert (first["line"], first["source"], first["references"]) == (2, "hola amigo", ("hello friend",))
    assert first["scores"] == [0.5]
    assert [cell["output"] for cell in first["cells"]] == [
        report.rows[0].systems[name].output for name in payload["names"]
    ]


def test_words_that_differ_are_marked(report: EvaluationReport) -> None:
    cells = [row["cells"][2] for row in rows_payload(report)["rows"]]
    assert cells[0]["diff"] == [["s", "hello friend"]]
    assert ["s", "good"] in cells[1]["diff"]
    for cell in cells:
        output = "".join(text for kind, text in cell["diff"] if kind != "m")
        assert output.split() == cell["output"].split()


def test_every_cause_of_a_row_has_a_title_and_a_remedy(report: EvaluationReport) -> None:
    payload = rows_payload(report)
    named = {cell["cause"] for row in payload["rows"] for cell in row["cells"] if "cause" in cell}
    assert named
    assert all(payload["causes"][name]["title"] and payload["causes"][name]["remedy"] for name in named)
    assert not any("cause" in row["cells"][2] for row in payload["rows"])  # its network is not known

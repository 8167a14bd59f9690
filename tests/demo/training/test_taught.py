"""The pairs that a run was taught, in its view."""

from __future__ import annotations

import json
from dataclasses import replace

from demo.training.run.component import run_payload
from demo.training.work.run_report import RunReport
from models.training.events import TrainingEvent, TrainingPairDecoded
from models.training.runs.request import RunState
from tests.fakes.training.run_events import HOSTILE, run_events

RUN = RunReport("reverse-0123456789ab", "Reverse", RunState.FINISHED, events=run_events(400))


def test_taught_pairs_are_shown_when_both_outputs_are_known() -> None:
    before = [TrainingPairDecoded(0, source, "right", "wrong") for source in (HOSTILE, "b")]
    once = [TrainingPairDecoded(40, source, "right", "wrong still") for source in (HOSTILE, "b")]
    again = [TrainingPairDecoded(80, source, "right", "right") for source in (HOSTILE, "b")]

    def taught(*events: TrainingEvent) -> list[dict[str, str]]:
        payload = json.loads(run_payload(replace(RUN, events=(*RUN.events, *events))))
        return list(payload["taught"])

    assert taught() == taught(*before) == taught(*once) == []
    assert [pair["after"] for pair in taught(*before, *once)] == ["wrong still"] * 2
    assert taught(*before, *once, *again)[0] == {
        "source": HOSTILE,
        "target": "right",
        "before": "wrong",
        "after": "right",
    }

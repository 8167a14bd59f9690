"""Reports of runs on disk."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

from demo.training.run.component import run_payload
from demo.training.run_handlers import on_resume
from demo.training.work.run_report import RunReports
from models.training.events import Notice, event_json
from models.training.runs.collection import RunError
from models.training.runs.request import EXPERIMENT_GONE, RunState, RunStatus, new_token
from tests.fakes.training.form import training_context
from tests.fakes.training.processes import request
from tests.fakes.training.run_events import started
from tests.refusals import refused


def test_an_experiment_of_an_earlier_version_is_read_and_not_resumed(shipped: Path, tmp_path: Path) -> None:
    context = training_context(shipped, tmp_path)
    assert context.training is not None
    old = replace(request(token=new_token()), data="2 of 60 pairs left out", work="retraining")
    run = context.training.runs.create(old)
    step = json.dumps({"event": "ExperimentStep", "step": 1, "arm": 0, "loss": 2.5, "seconds_left": 3.0})
    events = "\n".join(map(event_json, (started(), Notice(0, "It writes “b”."))))
    run.events_file.write_text(f"{events}\n{step}\n", encoding="utf-8")
    run.write_status(RunStatus(RunState.STOPPED, time.time()))
    report = RunReports(context.training.runs).report(run)
    assert report.facts == ("2 of 60 pairs left out",)
    status = json.loads(run_payload(report))["status"]
    assert status["notices"] == ["It writes “b”."]
    assert status["advice"] == EXPERIMENT_GONE
    with refused(RunError, "experiment_gone"):
        on_resume(context, run.id)

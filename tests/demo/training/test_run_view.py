from __future__ import annotations

import base64
import json
import math
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from typing import Any

import gradio as gr
import pytest

from demo.training.run.component import (
    MAX_SNAPSHOTS,
    MAX_WEIGHTS,
    MIN_SNAPSHOTS,
    RunView,
    run_payload,
    snapshots,
)
from demo.training.work.run_report import RunReport, facts_of, score_of
from demo.widgets.captions.run import chart_sentences, duration_text, memory_text, probe_sentence, share_text
from demo.widgets.figures.curves.training import training_curves
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.training.events import (
    EvaluationCompleted,
    Notice,
    ProbeDecoded,
    RunFailed,
    RunFinished,
    RunStarted,
    TrainingEvent,
)
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import DataConfig
from models.training.runs.request import RunState
from tests.fakes.training.run_events import REFERENCE, completed, evaluated, probed, run_events

RUN = RunReport("reverse-0123456789ab", "Reverse", RunState.RUNNING, events=run_events())


def read(report: RunReport) -> dict[str, Any]:
    return json.loads(run_payload(report))


def facts(report: RunReport) -> dict[str, str]:
    return dict(read(report)["status"]["facts"])


def test_the_strip_shows_progress_and_speed() -> None:
    status = read(RUN)["status"]
    assert (status["words"], status["progress"], status["percent"]) == (
        "Running",
        "step 2,000 of 4,000",
        "50.0%",
    )
    labelled = dict(status["facts"])
    assert labelled["time left"] == "40 s"
    assert labelled["target tokens / s"] == "20,000"
    assert labelled["best validation loss"] == "0.158 at step 2,000"
    assert labelled["best exact match"] == "99.0%"
    assert "GPU memory" not in labelled
    assert "teacher forcing" not in labelled
    assert status["notices"] == [
        "Step 10: The batch did not fit into memory, so it was halved to 1,024 tokens."
    ]


def test_the_facts_of_a_run_have_memory_and_teacher_forcing() -> None:
    events = (*RUN.events, completed(2010, memory_bytes=3 << 30, teacher_forcing=0.45))
    labelled = facts(replace(RUN, events=events))
    assert (labelled["GPU memory"], labelled["teacher forcing"]) == ("3.0 GiB", "45%")


def test_a_failure_shows_reason_log_and_advice() -> None:
    events = (*run_events(400), RunFailed("The loss is not a number."))
    report = replace(RUN, state=RunState.FAILED, events=events, log_tail="Traceback\nValueError")
    status = read(report)["status"]
    assert status["reason"] == "The loss is not a number."
    assert status["log"] == "Traceback\nValueError"
    assert "resume" in status["advice"]
    assert "time left" not in dict(status["facts"])


def test_a_score_of_few_pairs_gets_a_warning() -> None:
    few = RunStarted("tiny", 10, 10, 5, 19, 1, 50, "CPU", 1, 0)
    evaluation = EvaluationCompleted(10, 1.0, 2.7, 0.0, 0.0, True)

    def advice(*events: TrainingEvent, recorded: bool = False) -> str:
        report = RunReport("x-1", "x", RunState.RUNNING, events=events, recorded=recorded)
        return str(read(report)["status"]["advice"])

    assert advice(few, evaluation).startswith("One pair alone")
    assert advice(few) == advice(replace(few, valid_pairs=200), evaluation) == ""
    assert advice(few, evaluation, recorded=True).startswith("A recorded run")


def test_a_running_run_shows_no_log() -> None:
    assert read(replace(RUN, log_tail="noise"))["status"]["log"] == ""


def test_a_run_that_ended_early_is_complete() -> None:
    finished = RunFinished(2000, 125.0, 2_500_000)
    status = read(replace(RUN, state=RunState.FINISHED, events=(*RUN.events, finished)))["status"]
    assert (status["percent"], status["progress"]) == ("100%", "step 2,000 of 2,000")
    assert dict(status["facts"])["took"] == "2 min 5 s"
    assert dict(status["facts"])["target tokens / s"] == "20,000"


def test_a_queued_run_has_nothing_to_show_yet() -> None:
    payload = read(RunReport("a-0123456789ab", "A", RunState.QUEUED, "Two runs are before this one."))
    assert payload["status"]["progress"] == ""
    assert payload["status"]["message"] == "Two runs are before this one."
    assert payload["snapshots"] == []
    assert payload["probe"] is None


def test_attention_and_probabilities_survive_the_packing() -> None:
    probe = probed(1000)
    packed = read(RUN)["snapshots"][4]
    assert packed["step"] == 1000
    for name, expected in (
        ("attention", [weight for row in probe.attention or () for weight in row]),
        ("freeShares", list(probe.free_running_probabilities)),
        ("referenceShares", list(probe.reference_probabilities)),
    ):
        shares = [byte / 255 for byte in base64.b64decode(packed["probe"][name])]
        assert shares == pytest.approx(expected, abs=0.002)


def test_samples_are_marked_by_words_or_by_letters() -> None:
    samples = read(RUN)["snapshots"][0]["samples"]
    assert samples[0]["parts"] == [["same", "srb"], ["removed", "icvn"], ["added", "bb"]]
    words = [["same", "house"], ["removed", " old"], ["same", " the"], ["added", " the"]]
    assert samples[1]["parts"] == words
    assert read(RUN)["snapshots"][-1]["samples"][0]["parts"] is None


def test_the_payload_is_valid_json_whatever_a_run_reports() -> None:
    events = (completed(10, loss=math.nan, gradient_norm=math.inf), evaluated(10, loss=math.nan))
    payload = read(replace(RUN, events=events))
    assert payload["snapshots"][0]["loss"] is None


def test_two_overlays_may_have_the_same_name() -> None:
    overlays = (("Same", run_events(400)), ("Same", run_events(800)))
    payload = read(replace(RUN, overlays=overlays))
    assert payload["overlays"] == ["Same", "Same"]
    assert [len(payload["charts"][chart]["data"]) for chart in ("score", "rate")] == [3, 3]


def test_equal_runs_have_equal_payloads() -> None:
    assert run_payload(replace(RUN)) == run_payload(RUN)


def test_a_long_run_stays_small() -> None:
    events = run_events(40_000, 40_000, every=100)
    overlays = tuple((f"run {index}", events) for index in range(3))
    text = run_payload(replace(RUN, events=events, overlays=overlays))
    assert len(text) < 220_000


def test_snapshots_are_thinned_evenly_and_keep_first_best_and_newest() -> None:
    events = list(run_events(40_000, 40_000, every=100))
    events.append(evaluated(30_100, loss=0.0001))
    selected = snapshots(events)
    steps = [snapshot.step for snapshot in selected]
    assert MIN_SNAPSHOTS <= len(selected) <= MAX_SNAPSHOTS
    assert steps[0] == 100
    assert steps[-1] == 40_000
    assert [snapshot.step for snapshot in selected if snapshot.best] == [30_100]
    assert {later - earlier for earlier, later in pairwise(steps)} <= {100, 300, 400}


def test_a_growing_run_keeps_its_earlier_snapshots() -> None:
    before = {snapshot.step for snapshot in snapshots(run_events(15_000, every=100))}
    after = {snapshot.step for snapshot in snapshots(run_events(15_200, every=100))}
    assert len(before - after) <= 2  # the newest and the best at that time


def test_large_attention_is_thinned_harder() -> None:
    probe = probed(100)
    wide = replace(
        probe,
        source=("a",) * 60,
        free_running=("b",) * 60,
        free_running_probabilities=(0.5,) * 60,
        attention=((1 / 60,) * 60,) * 60,
    )
    events = [replace(wide, step=step) for step in range(100, 10_100, 100)]
    selected = snapshots(events)
    assert len(selected) * 3600 <= MAX_WEIGHTS + 2 * 3600
    assert len(selected) >= MIN_SNAPSHOTS // 2


@pytest.mark.parametrize(
    ("probe", "part"),
    [
        (probed(400, right=5), "first differ at position 6: free-running writes “l”, teacher-forced “r”"),
        (replace(probed(400, right=5), divergence=6), "at position 7: free-running writes “l”"),
        (
            replace(probed(4000, right=9), divergence=None),
            "both outputs are the same, and equal to the reference.",
        ),
        (
            replace(probed(400), divergence=9, teacher_forced=(*REFERENCE, "x")),
            "position 10: free-running writes nothing more, teacher-forced “x”, the reference has nothing",
        ),
        (replace(probed(400), reference=(), teacher_forced=(), divergence=None), "there is no reference"),
    ],
)
def test_a_sentence_describes_the_probe(probe: ProbeDecoded, part: str) -> None:
    assert part in probe_sentence(probe)


def test_the_sentence_describes_the_sharpness_of_attention() -> None:
    probe = replace(probed(400), source=("a", "b"), attention=((0.5, 0.5), (0.9, 0.1)))
    assert "0.70 on average; with equal weights it would be 0.50" in probe_sentence(probe)
    assert "on average" not in probe_sentence(probed(400, attention=False))


def test_each_chart_has_a_sentence() -> None:
    sentences = chart_sentences(training_curves(run_events(400)), "exact_match")
    assert "The lowest was 1.69 at step 400." in sentences["loss"]
    assert sentences["score"].startswith("Exact match: from")
    assert "After clipping" in sentences["norm"]
    assert chart_sentences(training_curves([]), "bleu")["score"].startswith("No score yet")
    undecoded = [EvaluationCompleted(100, 2.0, 7.4, None, None, True)]
    assert "does not decode" in chart_sentences(training_curves(undecoded), "bleu")["score"]


def test_times_sizes_and_shares_are_written_for_readers() -> None:
    assert [duration_text(seconds) for seconds in (0.4, 59, 61, 600, 3600, 7500)] == [
        "0 s",
        "59 s",
        "1 min 1 s",
        "10 min",
        "1 h",
        "2 h 5 min",
    ]
    assert memory_text(512 << 20) == "512 MiB"
    assert [share_text(share) for share in (0, 0.5, 0.9999, 1)] == ["0%", "50.0%", "99.4%", "100%"]


def test_a_few_words_describe_a_recipe() -> None:
    recurrent = TrainingConfig(name="a", network=RecurrentConfig(num_layers=2, attention="none"))
    files = DataConfig(task="translation", train="a.tsv", valid="b.tsv")
    transformer = TrainingConfig(name="b", data=files, network=TransformerConfig(), start="spa-eng-gru")
    assert "GRU, 2 layers, 512 wide, no attention" in facts_of(recurrent)
    assert "Transformer, 3 + 3 layers, 256 wide" in facts_of(transformer)
    assert "fine-tuned from spa-eng-gru" in facts_of(transformer)
    assert (score_of(recurrent), score_of(transformer)) == ("exact_match", "bleu")


def test_the_component_takes_a_report_and_trusts_no_answer() -> None:
    with gr.Blocks(analytics_enabled=False):
        view = RunView(elem_id="run")
        assert view.postprocess(None) is None
        assert view.postprocess(RUN) == run_payload(RUN)
        assert view.preprocess("anything a browser sends") is None


def test_only_the_newest_notices_are_shown() -> None:
    events = tuple(Notice(step, f"notice {step}") for step in range(1, 21))
    assert len(read(replace(RUN, events=events))["status"]["notices"]) == 6


def test_nothing_is_interpolated_into_the_template() -> None:
    view = RunView(render=False)
    assert not any(
        mark in text for mark in ("${", "{{", "`") for text in (view.html_template, view.css_template)
    )


@pytest.mark.slow
def test_torch_and_plotly_are_imported_only_for_drawing() -> None:
    imports = "import sys, demo.training.run.component"
    check = f"{imports}; sys.exit(any(name in sys.modules for name in ('torch', 'plotly.graph_objects')))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0

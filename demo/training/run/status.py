"""The state of a run in words and numbers, for the strip at the top of its view."""

from __future__ import annotations

from typing import Any

from demo.i18n import later, message_text, say
from demo.i18n.display import number_text, percent_text, short_text, whole_percent_text, whole_text
from demo.training.work.run_report import RunReport
from demo.training.work.workload import bf16_peak
from demo.widgets.captions.run import (
    ADVICE,
    STATE_WORDS,
    duration_text,
    few_pairs_sentence,
    memory_text,
    share_text,
)
from demo.widgets.figures.curves.training import AT_STEP
from models.training.events import (
    EvaluationCompleted,
    Notice,
    RunFailed,
    RunFinished,
    RunStarted,
    StepCompleted,
    step_of,
)
from models.training.runs.request import EXPERIMENT_GONE, TRAINING, RunState

PACE = later("target tokens / s")
NOTICES = 6  # the newest ones
ENDED = (RunState.STOPPED, RunState.FINISHED, RunState.FAILED, RunState.LOST)


def status_facts(report: RunReport) -> dict[str, Any]:
    """State, progress, figures and advice for the browser."""
    state = RunState(report.state)
    total = max((event.total_steps for event in report.events if isinstance(event, RunStarted)), default=0)
    step = max((step_of(event) or 0 for event in report.events), default=0)
    if state is RunState.FINISHED and total:
        total = step or total  # it may have ended early, for lack of progress
    notices = [event for event in report.events if isinstance(event, Notice)]
    failures = [event.reason for event in report.events if isinstance(event, RunFailed)]
    failed = state in (RunState.FAILED, RunState.LOST)
    reason = message_text(report.message or (failures[-1] if failures else "")) if failed else ""
    return {
        "state": state.value,
        "active": state.is_active,
        "words": say(STATE_WORDS[state]),
        "message": "" if failed or report.message == TRAINING else message_text(report.message),
        "step": step,
        "total": total,
        "progress": _progress(step, total),
        "share": min(step / total, 1.0) if total else 0.0,
        "percent": share_text(step / total) if total else "",
        "facts": _figures(report, state),
        "recipe": list(report.facts),
        "notices": [_notice(event) for event in notices[-NOTICES:]],
        "reason": reason,
        "advice": _advice(report, state),
        "recorded": report.recorded,
        "log": report.log_tail if failed else "",
    }


def _advice(report: RunReport, state: RunState) -> str:
    if report.is_experiment:
        return message_text(EXPERIMENT_GONE)
    if report.recorded:
        return say("A recorded run: press Play, or move the slider, and watch the alignment emerge.")
    started = next((event for event in report.events if isinstance(event, RunStarted)), None)
    has_evaluation = any(isinstance(event, EvaluationCompleted) for event in report.events)
    few = few_pairs_sentence(started.valid_pairs) if started is not None and has_evaluation else ""
    return " ".join(filter(None, (say(ADVICE[state]) if state in ADVICE else "", few)))


def _progress(step: int, total: int) -> str:
    if total:
        return say("step {at} of {length}", at=f"{step:,}", length=f"{total:,}")
    return say("step {step}", step=f"{step:,}") if step else ""


def _notice(event: Notice) -> str:
    text = message_text(event.text)
    return say("Step {step}: {text}", step=f"{event.step:,}", text=text) if event.step else text


def _figures(report: RunReport, state: RunState) -> list[tuple[str, str]]:
    """Labels and values of the figures that are known."""
    newest = next((e for e in reversed(report.events) if isinstance(e, StepCompleted)), None)
    finished = next((e for e in reversed(report.events) if isinstance(e, RunFinished)), None)
    started = next((e for e in reversed(report.events) if isinstance(e, RunStarted)), None)
    evaluations = [event for event in report.events if isinstance(event, EvaluationCompleted)]
    figures: list[tuple[str, str]] = []
    if finished is not None:
        figures.append((say("took"), duration_text(finished.seconds)))
    elif newest is not None and newest.seconds_left is not None and state is RunState.RUNNING:
        figures.append((say("time left"), duration_text(newest.seconds_left)))
    pace = _pace(newest, finished, state)
    if pace is not None:
        figures.append((say(PACE), whole_text(pace)))
    if newest is not None and newest.memory_bytes is not None:
        figures.append((say("GPU memory"), memory_text(newest.memory_bytes)))
    if evaluations:
        best = min(evaluations, key=lambda event: event.loss)
        figures.append(
            (say("best validation loss"), say(AT_STEP, value=short_text(best.loss), step=f"{best.step:,}"))
        )
    figures += _best_score(report, evaluations)
    if newest is not None and newest.teacher_forcing < 1:
        figures.append((say("teacher forcing"), whole_percent_text(newest.teacher_forcing)))
    if started is not None:
        where = (
            say("{device}, {count} processes", device=started.device, count=started.processes)
            if started.processes > 1
            else started.device
        )
        share = _share_of_peak(report, started, pace)
        figures += [
            (say("parameters"), f"{started.parameters:,}")
            if share is None
            else (say("share of the GPU's peak"), f"≈ {percent_text(share)}"),
            (say("device"), where),
        ]
    return figures


def _pace(newest: StepCompleted | None, finished: RunFinished | None, state: RunState) -> float | None:
    """Target tokens per second: of the last steps, or of a finished run as a whole."""
    if newest is not None and state not in ENDED:
        return newest.tokens_per_second
    if finished is None or finished.seconds <= 0:
        return None
    return finished.target_tokens / finished.seconds


def _share_of_peak(report: RunReport, started: RunStarted, pace: float | None) -> float | None:
    """The share of the cards' peak that training reaches; None if peak, pace or operations are unknown."""
    peak = bf16_peak(started.device)
    if peak is None or not pace or not report.bf16_operations:
        return None
    if started.trainable_parameters < started.parameters:
        return None  # frozen weights take fewer operations, and how many depends on where they are
    return report.bf16_operations * started.parameters * pace / (peak * started.processes)


def _best_score(report: RunReport, evaluations: list[EvaluationCompleted]) -> list[tuple[str, str]]:
    scores = [score for score in (getattr(e, report.score) for e in evaluations) if score is not None]
    if not scores:
        return []
    if report.score == "bleu":
        return [(say("best BLEU"), number_text(max(scores), 1))]
    return [(say("best exact match"), f"{number_text(max(scores), 1)}%")]

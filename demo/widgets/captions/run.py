"""Sentences about a training run, computed from what it reported."""

from __future__ import annotations

from demo.i18n import later, quoted, say
from demo.i18n.display import display_token, number_text, percent_text, short_text
from demo.widgets.figures.curves.training import TrainingCurve, TrainingCurves
from models.training.events import ProbeDecoded
from models.training.runs.request import RunState

STATE_WORDS = {
    RunState.QUEUED: later("Waiting for its turn"),
    RunState.RUNNING: later("Running"),
    RunState.STOPPING: later("Stopping"),
    RunState.STOPPED: later("Stopped"),
    RunState.FINISHED: later("Finished"),
    RunState.FAILED: later("Failed"),
    RunState.LOST: later("Lost"),
    RunState.DAMAGED: later("Damaged"),
}
RESUME = later("Resume to go on from the last saved step.")
ADVICE = {
    RunState.STOPPED: RESUME,
    RunState.FAILED: later("Fix the reported problem and start again, or resume from the last saved step."),
    RunState.LOST: RESUME,
}
FEW_PAIRS = 20  # validation pairs: with fewer the score says little
MISSING = later("nothing more")  # stands after the end of a sequence


def probe_sentence(probe: ProbeDecoded) -> str:
    """Sentences about the first difference of free-running and teacher-forced output, and about attention."""
    parts = _parting(probe), _sharpness(probe)
    return " ".join(part for part in parts if part)


def _parting(probe: ProbeDecoded) -> str:
    step = f"{probe.step:,}"
    if not probe.reference:
        return say(
            "At step {step} there is no reference, so the free-running output has nothing to compare with.",
            step=step,
        )
    index = probe.divergence
    if index is None:
        if probe.free_running == probe.reference:
            return say("At step {step} both outputs are the same, and equal to the reference.", step=step)
        return say("At step {step} both outputs are the same, but differ from the reference.", step=step)
    expected = _token(probe.reference, index)
    return say(
        "At step {step} the two outputs first differ at position {at}: free-running writes "
        "{free}, teacher-forced {forced}, the reference has {wanted}.",
        step=step,
        at=index + 1,
        free=_token(probe.free_running, index),
        forced=_token(probe.teacher_forced, index),
        wanted=expected,
    )


def _token(tokens: tuple[str, ...], index: int) -> str:
    return quoted(display_token(tokens[index])) if index < len(tokens) else say(MISSING)


def _sharpness(probe: ProbeDecoded) -> str:
    """A sentence about the mean of each row's largest weight, from 1 / S (uniform) to 1 (one token)."""
    if not probe.attention or not probe.source:
        return ""
    mean = sum(map(max, probe.attention)) / len(probe.attention)
    return say(
        "The strongest weight of a row is {mean} on average; with equal weights it would be {even}.",
        mean=number_text(mean),
        even=number_text(1 / len(probe.source)),
    )


def chart_sentences(curves: TrainingCurves, score: str) -> dict[str, str]:
    """A description of each chart for screen readers."""
    name = {"bleu": "BLEU", "exact_match": say("Exact match")}[score]
    loss = [_newest(say("Training loss"), curves.train), _newest(say("Validation loss"), curves.valid)]
    if curves.best:
        value, step = _number(curves.best[1]), f"{curves.best[0]:,}"
        loss.append(say("The lowest was {value} at step {step}.", value=value, step=step))
    norm = [_newest(say("Gradient norm before clipping"), curves.before)]
    if curves.clips:
        norm.append(_newest(say("After clipping"), curves.after))
    if curves.clip_norm and curves.before.steps:
        norm.append(say("Norms above {norm} are clipped.", norm=short_text(curves.clip_norm, 6)))
    return {
        "loss": " ".join(filter(None, loss)) or say("No loss yet."),
        "score": _newest(name, curves.score) or _no_score(curves),
        "rate": _newest(say("Learning rate"), curves.rate) or say("No learning rate yet."),
        "norm": " ".join(filter(None, norm)) or say("No gradient norm yet."),
    }


def _no_score(curves: TrainingCurves) -> str:
    """A sentence about a missing score: it comes later, or never if evaluations do not decode."""
    if curves.valid.steps:
        return say("No score: this run does not decode its validation pairs, it measures their loss alone.")
    return say("No score yet: the first comes when the validation pairs have been decoded.")


def few_pairs_sentence(pairs: int) -> str:
    """A warning about a validation set of few pairs; empty if there are enough."""
    if pairs == 1:
        return say(
            "One pair alone is kept for validation: its score stays flat or jumps. Add pairs, or raise the "
            "share for validation."
        )
    if pairs < FEW_PAIRS:
        return say(
            "Only {count} pairs are kept for validation: their score stays flat or jumps. Add pairs, or "
            "raise the share for validation.",
            count=pairs,
        )
    return ""


def _newest(name: str, curve: TrainingCurve) -> str:
    if curve.last is None:
        return ""
    last = {"name": name, "value": _number(curve.last), "step": f"{curve.steps[-1]:,}"}
    if len(curve.values) > 1:
        return say("{name}: from {first} to {value} at step {step}.", **last, first=_number(curve.values[0]))
    return say("{name}: {value} at step {step}.", **last)


def _number(value: float) -> str:
    return number_text(value, 0 if abs(value) >= 1000 else 2) if abs(value) >= 0.1 else short_text(value, 2)


def duration_text(seconds: float) -> str:
    """A duration for people: 40 s, 3 min 20 s, 2 h 5 min."""
    total_seconds = max(0, round(seconds))
    if total_seconds < 60:
        return f"{total_seconds} s"
    minutes, more_seconds = divmod(total_seconds, 60)
    if minutes < 60:
        return f"{minutes} min {more_seconds} s" if minutes < 10 and more_seconds else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def memory_text(amount: int) -> str:
    """Bytes in GiB or MiB."""
    return f"{number_text(amount / 2**30, 1)} GiB" if amount >= 2**30 else f"{round(amount / 2**20)} MiB"


def share_text(share: float) -> str:
    """A share of steps as a percentage that reaches 100 only at the end."""
    return "100%" if share >= 1 else percent_text(min(share, 0.994)) if share > 0 else "0%"

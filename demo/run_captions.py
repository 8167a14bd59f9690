"""Sentences about a training run, computed from what it reported."""

from __future__ import annotations

from demo.figures.training_curves import Curve, TrainingCurves
from demo.text import display_token, number_text, percent_text
from models.training.events import ProbeDecoded
from models.training.run import RunState

STATE_WORDS = {
    RunState.QUEUED: "Waiting for its turn",
    RunState.RUNNING: "Training",
    RunState.STOPPING: "Stopping",
    RunState.STOPPED: "Stopped",
    RunState.FINISHED: "Finished",
    RunState.FAILED: "Failed",
    RunState.LOST: "Lost",
}
ADVICE = {
    RunState.STOPPED: "Resume to go on from the last saved step.",
    RunState.FAILED: "Change what the reason names and start anew, or resume from the last saved step.",
    RunState.LOST: "Resume to go on from the last saved step.",
}
MISSING = "nothing more"  # what a sequence has where it has ended


def probe_sentence(probe: ProbeDecoded) -> str:
    """Where free-running and teacher-forced output part, and how sharply the model looks."""
    return f"At step {probe.step:,} {_parting(probe)}{_sharpness(probe)}"


def _parting(probe: ProbeDecoded) -> str:
    if not probe.reference:
        return "the output runs free; without a reference there is nothing to compare it with."
    at = probe.divergence
    if at is None:
        right = probe.free == probe.reference
        return f"both write the same, {'and it is the reference' if right else 'which is not the reference'}."
    wanted = _token(probe.reference, at)
    return (
        f"the two part at position {at + 1}: free-running writes {_token(probe.free, at)}, "
        f"teacher-forced {_token(probe.forced, at)}, the reference has {wanted}."
    )


def _token(tokens: tuple[str, ...], at: int) -> str:
    return f"“{display_token(tokens[at])}”" if at < len(tokens) else MISSING


def _sharpness(probe: ProbeDecoded) -> str:
    """The mean of each row's largest weight: 1 / S where the model looks everywhere, 1 where at one token."""
    if not probe.attention or not probe.source:
        return ""
    mean = sum(map(max, probe.attention)) / len(probe.attention)
    return (
        f" The strongest weight of a row is {number_text(mean)} on average; "
        f"looking everywhere alike would be {number_text(1 / len(probe.source))}."
    )


def chart_sentences(curves: TrainingCurves, score: str) -> dict[str, str]:
    """Each chart in a sentence, for who does not see it."""
    name = {"bleu": "BLEU", "exact_match": "Exact match"}[score]
    loss = _newest("Training loss", curves.train) + _newest(" Validation loss", curves.valid)
    if curves.best:
        loss += f" The lowest was {_number(curves.best[1])} at step {curves.best[0]:,}."
    norm = _newest("Gradient norm before clipping", curves.before)
    if curves.clips:
        norm += _newest(" After clipping", curves.after)
    return {
        "loss": loss or "No loss yet.",
        "score": _newest(name, curves.score) or "No score: the run decodes no validation pairs, or not yet.",
        "rate": _newest("Learning rate", curves.rate) or "No learning rate yet.",
        "norm": norm or "No gradient norm yet.",
    }


def _newest(name: str, curve: Curve) -> str:
    if curve.last is None:
        return ""
    first = f" from {_number(curve.values[0])}" if len(curve.values) > 1 else ""
    return f"{name}{first} to {_number(curve.last)} at step {curve.steps[-1]:,}."


def _number(value: float) -> str:
    return number_text(value, 0 if abs(value) >= 1000 else 2) if abs(value) >= 0.1 else f"{value:.2g}"


def duration_text(seconds: float) -> str:
    """A time as people say it: 40 s, 3 min 20 s, 2 h 5 min."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes < 10 and rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def memory_text(amount: int) -> str:
    """Bytes in GiB or MiB."""
    return f"{number_text(amount / 2**30, 1)} GiB" if amount >= 2**30 else f"{round(amount / 2**20)} MiB"


def share_text(share: float) -> str:
    """A share of steps as a percentage that reaches 100 only at the end."""
    return "100%" if share >= 1 else percent_text(min(share, 0.994)) if share > 0 else "0%"

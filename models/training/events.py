"""The typed events that a training run reports. Imports no torch."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from models.errors import with_parts, without_parts
from models.records import conform, finite


@dataclass(frozen=True)
class TrainingEvent:
    """Anything that a run reports; every kind of event is a direct subclass."""


@dataclass(frozen=True)
class RunStarted(TrainingEvent):
    """The first event, and the first after every resumption."""

    name: str
    parameters: int
    trainable_parameters: int  # parameters without the frozen ones
    vocab_size: int
    train_pairs: int
    valid_pairs: int
    total_steps: int
    device: str
    processes: int  # the processes that train together
    resumed_at: int  # steps before this part of the run; 0 for a new run


@dataclass(frozen=True)
class StepCompleted(TrainingEvent):
    """Loss, norms and speed over the steps since the last such event; the two settings at its last step."""

    step: int
    epoch: int
    loss: float  # label-smoothed cross-entropy in nats per target token
    learning_rate: float  # at the last step
    gradient_norm: float  # before clipping
    clipped_norm: float  # after clipping
    teacher_forcing: float  # probability, at the last step, that a decoder input is the reference's token
    tokens_per_second: float  # target tokens, of all processes
    memory_bytes: int | None  # the most that the accelerator held; None on a CPU
    seconds_left: float | None  # seconds at the pace so far, evaluations included


@dataclass(frozen=True)
class EvaluationCompleted(TrainingEvent):
    """An evaluation on the validation set: under teacher forcing and, if configured, by greedy decoding."""

    step: int
    loss: float  # cross-entropy in nats per target token, without smoothing
    perplexity: float
    bleu: float | None
    exact_match: float | None  # per cent
    best: bool  # the lowest loss so far


@dataclass(frozen=True)
class SampleDecoded(TrainingEvent):
    """One validation pair and the model's output for it."""

    step: int
    source: str
    reference: str
    output: str


@dataclass(frozen=True)
class TrainingPairDecoded(TrainingEvent):
    """One training pair of a fine-tuning run, and the model's output for it at step 0 or at the end."""

    step: int
    source: str
    target: str
    output: str


@dataclass(frozen=True)
class ProbeDecoded(TrainingEvent):
    """The outputs for the probe sentence at one step, free-running and teacher-forced, with attention.

    `free_running` is the greedy output, whose tokens are fed back. `teacher_forced` has the most probable
    token at each position if the reference's tokens are fed instead.
    """

    step: int
    source: tuple[str, ...]  # S tokens as spelt, end token included
    reference: tuple[str, ...]  # T tokens, end token included; empty where no reference is known
    free_running: tuple[str, ...]  # T' tokens, end token included unless the limit cut it
    free_running_probabilities: tuple[float, ...]  # T' probabilities of these tokens
    teacher_forced: tuple[str, ...]  # T tokens
    reference_probabilities: tuple[float, ...]  # T probabilities of `reference`, if its tokens are fed
    divergence: int | None  # first position where the two outputs differ; None if there is none
    # (T', S), the mean over layers and heads; None for a network without attention.
    attention: tuple[tuple[float, ...], ...] | None
    output: str  # `free_running` as text


@dataclass(frozen=True)
class CheckpointSaved(TrainingEvent):
    """A checkpoint folder was written."""

    step: int
    kind: str  # "best" or "last"
    folder: str


@dataclass(frozen=True)
class Notice(TrainingEvent):
    """A decision that the run took by itself, such as a smaller batch."""

    step: int
    text: str  # a Message, or the text of another program's error; so is `reason` below


@dataclass(frozen=True)
class RunStopped(TrainingEvent):
    """The last event of a run that was stopped; the run can be resumed."""

    step: int
    reason: str


@dataclass(frozen=True)
class RunFinished(TrainingEvent):
    """The last event of a run that ended as planned."""

    step: int
    seconds: float  # seconds of training, earlier parts of a resumed run included
    target_tokens: int


@dataclass(frozen=True)
class RunFailed(TrainingEvent):
    """The last event of a run that failed."""

    reason: str


Emit = Callable[[TrainingEvent], None]

# JSON keeps the first names of an event and some fields, so that all versions of the program read all runs.
EVENT_JSON_NAMES = {
    "TrainingPairDecoded": "TaughtDecoded",
    "free_running": "free",
    "free_running_probabilities": "free_probabilities",
    "teacher_forced": "forced",
    "reference_probabilities": "forced_probabilities",
}
PERHAPS_INFINITE = ("loss", "perplexity", "best_loss")  # where a network has learnt nothing
EVENT_FIELD_NAMES = {json_name: name for name, json_name in EVENT_JSON_NAMES.items()}
EVENTS: dict[str, type[TrainingEvent]] = {
    EVENT_JSON_NAMES.get(kind.__name__, kind.__name__): kind for kind in TrainingEvent.__subclasses__()
}


def event_json(event: TrainingEvent) -> str:
    """One line of JSON, with the type's name under `event`."""
    kind = type(event).__name__
    data = {EVENT_JSON_NAMES.get(name, name): value for name, value in with_parts(asdict(event)).items()}
    return json.dumps({"event": EVENT_JSON_NAMES.get(kind, kind), **data}, ensure_ascii=False)


def parse_event(line: str) -> TrainingEvent:
    """The inverse of `event_json`. Raises ValueError on any other text."""
    try:
        data = without_parts(json.loads(line))
        kind = EVENTS[data.pop("event")]
        event = kind(**{EVENT_FIELD_NAMES.get(name, name): _tuples(value) for name, value in data.items()})
        conform(type(event).__name__, event, type(event), check_number)
        return event
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(f"not a training event: {line[:200]!r}") from error


def step_of(event: TrainingEvent) -> int | None:
    """The optimizer step that an event belongs to; None where it belongs to the run as a whole."""
    return getattr(event, "step", None)


def as_one_run(events: list[TrainingEvent]) -> list[TrainingEvent]:
    """The events without those that a resumed run repeated.

    A run that was killed goes on from its last saved state, so it repeats the steps after that.
    """
    events_so_far: list[TrainingEvent] = []
    for event in events:
        if isinstance(event, RunStarted) and not event.resumed_at:
            events_so_far = []  # it was killed before the first save, and began again
        elif isinstance(event, RunStarted):
            events_so_far = [
                earlier
                for earlier in events_so_far
                if (step_of(earlier) or 0) <= event.resumed_at
                and not isinstance(earlier, RunFailed | RunStopped)
            ]
        events_so_far.append(event)
    return events_so_far


def check_number(name: str, value: object) -> None:
    """Raise ValueError unless a record of a training may have this number."""
    if not (name in PERHAPS_INFINITE and isinstance(value, float) and not math.isfinite(value)):
        finite(name, value)


def _tuples(value: Any) -> Any:
    """Tuples for the lists of a JSON value."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value

"""What a training run reports, as typed events. Knows no torch."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class RunStarted:
    """The first event."""

    name: str
    parameters: int
    vocab_size: int
    train_pairs: int
    valid_pairs: int
    total_steps: int
    device: str
    resumed_at: int  # steps done before; 0 for a fresh run


@dataclass(frozen=True)
class StepCompleted:
    """Means over the steps since the last such event."""

    step: int
    epoch: int
    loss: float  # label-smoothed cross-entropy in nats per target token
    learning_rate: float
    gradient_norm: float  # before clipping
    tokens_per_second: float  # target tokens


@dataclass(frozen=True)
class EvaluationCompleted:
    """The validation set seen under teacher forcing and, where asked for, decoded greedily."""

    step: int
    loss: float  # cross-entropy in nats per target token, without smoothing
    perplexity: float
    bleu: float | None
    exact_match: float | None  # per cent
    best: bool  # the lowest loss so far


@dataclass(frozen=True)
class SampleDecoded:
    """One validation pair and what the model makes of it."""

    step: int
    source: str
    reference: str
    output: str


@dataclass(frozen=True)
class CheckpointSaved:
    """A checkpoint folder was written."""

    step: int
    kind: str  # "best" or "last"
    folder: str


@dataclass(frozen=True)
class RunFinished:
    """The last event of a run that ended as planned."""

    step: int
    seconds: float  # of training, earlier parts of a resumed run included
    target_tokens: int


@dataclass(frozen=True)
class RunFailed:
    """The last event of a run that did not."""

    reason: str


TrainingEvent = (
    RunStarted
    | StepCompleted
    | EvaluationCompleted
    | SampleDecoded
    | CheckpointSaved
    | RunFinished
    | RunFailed
)
Emit = Callable[[TrainingEvent], None]

EVENTS: dict[str, type[TrainingEvent]] = {
    kind.__name__: kind
    for kind in (
        RunStarted,
        StepCompleted,
        EvaluationCompleted,
        SampleDecoded,
        CheckpointSaved,
        RunFinished,
        RunFailed,
    )
}


def event_json(event: TrainingEvent) -> str:
    """One line of JSON, with the type's name under `event`."""
    return json.dumps({"event": type(event).__name__, **asdict(event)}, ensure_ascii=False)


def parse_event(line: str) -> TrainingEvent:
    """The inverse of `event_json`. Raises ValueError on anything else."""
    try:
        data = json.loads(line)
        return EVENTS[data.pop("event")](**data)
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"not a training event: {line[:200]!r}") from error

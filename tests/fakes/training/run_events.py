"""Hand-made events of a training run that learns to reverse eight letters."""

from __future__ import annotations

import math
from collections.abc import Iterator

from models.training.events import (
    CheckpointSaved,
    EvaluationCompleted,
    Notice,
    ProbeDecoded,
    RunStarted,
    SampleDecoded,
    StepCompleted,
    TrainingEvent,
)

SOURCE = (*"unrolled", "</s>")
REFERENCE = (*"dellornu", "</s>")
HOSTILE = "<img src=x onerror=alert(1)>"


def started(total: int = 4000, resumed_at: int = 0) -> RunStarted:
    return RunStarted("reverse", 214_000, 214_000, 33, 60_000, 500, total, "CPU", 1, resumed_at)


def completed(step: int, total: int = 4000, **changes: object) -> StepCompleted:
    """Return a step with a falling loss and a gradient norm clipped to 1."""
    norm = 0.4 + 4 * math.exp(-step / 300) * (1.3 + math.sin(step))
    values: dict[str, object] = {
        "step": step,
        "epoch": 1 + 12 * step // total,
        "loss": 0.02 + 3.2 * math.exp(-step / 700) * (1 + 0.08 * math.sin(step * 1.7)),
        "learning_rate": 0.004 * min(step / 100, 1) * (1 - step / total * 0.95),
        "gradient_norm": norm,
        "clipped_norm": min(norm, 1.0),
        "teacher_forcing": 1.0,
        "tokens_per_second": 20_000.0,
        "memory_bytes": None,
        "seconds_left": (total - step) * 0.02,
        **changes,
    }
    return StepCompleted(**values)  # type: ignore[arg-type]


def evaluated(step: int, loss: float | None = None, best: bool = True) -> EvaluationCompleted:
    loss = 0.015 + 3.1 * math.exp(-step / 650) if loss is None else loss
    exact = round(100 * (1 - math.exp(-((step / 1200) ** 3))), 1)
    return EvaluationCompleted(step, loss, math.exp(loss), exact / 1.1, exact, best)


def probed(step: int, right: int | None = None, attention: bool = True) -> ProbeDecoded:
    """Return a decoded probe whose first `right` letters are correct; then one letter is repeated."""
    right = min(len(REFERENCE), step // 250) if right is None else right
    free = REFERENCE[:right] + tuple("l" for _ in range(len(REFERENCE) - right))
    forced = REFERENCE[: right + 1] + tuple("e" for _ in range(len(REFERENCE) - right - 1))
    sharp = min(0.97, 0.12 + step / 2400)
    rows = []
    for position in range(len(free)):
        peak = len(SOURCE) - 2 - position if position < len(SOURCE) - 1 else len(SOURCE) - 1
        remainder = (1 - sharp) / (len(SOURCE) - 1)
        rows.append(tuple(sharp if column == peak else remainder for column in range(len(SOURCE))))
    return ProbeDecoded(
        step,
        SOURCE,
        REFERENCE,
        free,
        tuple(0.9 if position < right else 0.2 for position in range(len(free))),
        forced,
        tuple(0.95 if position <= right else 0.1 for position in range(len(REFERENCE))),
        next((index for index, (one, two) in enumerate(zip(free, forced, strict=True)) if one != two), None),
        tuple(rows) if attention else None,
        "".join(free).removesuffix("</s>"),
    )


def sampled(step: int) -> Iterator[SampleDecoded]:
    good = step > 1500
    yield SampleDecoded(step, "nvcibrs", "srbicvn", "srbicvn" if good else "srbbb")
    yield SampleDecoded(step, "the old house", "house old the", "house old the" if good else "house the the")
    yield SampleDecoded(step, HOSTILE, "safe", HOSTILE if good else "")


def run_events(
    steps: int = 2000, total: int = 4000, *, every: int = 200, report: int = 10, attention: bool = True
) -> tuple[TrainingEvent, ...]:
    """Return the events of a run up to `steps`, evaluated every `every` steps."""
    events: list[TrainingEvent] = [started(total)]
    for step in range(report, steps + 1, report):
        events.append(completed(step, total))
        if step % every == 0:
            events += [*sampled(step), probed(step, attention=attention), evaluated(step)]
            events.append(CheckpointSaved(step, "best", "best"))
    events.insert(2, Notice(10, "The batch did not fit into memory, so it was halved to 1,024 tokens."))
    return tuple(events)

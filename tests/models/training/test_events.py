"""Events survive their line of JSON, and nothing else passes for one."""

from __future__ import annotations

import json

import pytest

from models.training.events import (
    EVENTS,
    CheckpointSaved,
    EvaluationCompleted,
    Notice,
    ProbeDecoded,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    SampleDecoded,
    StepCompleted,
    TrainingEvent,
    TrainingPairDecoded,
    as_one_run,
    event_json,
    parse_event,
)

SAMPLES: tuple[TrainingEvent, ...] = (
    RunStarted("reverse", 1000, 900, 30, 200, 20, 80, "CPU", 1, 0),
    StepCompleted(10, 1, 2.5, 1e-3, 1.75, 1.0, 0.5, 5000.0, None, 12.5),
    ProbeDecoded(
        step=10,
        source=("a", "</s>"),
        reference=("a", "</s>"),
        free_running=("<b>", "</s>"),
        free_running_probabilities=(0.5, 1.0),
        teacher_forced=("a", "</s>"),
        reference_probabilities=(0.25, 1.0),
        divergence=0,
        attention=((0.5, 0.5), (0.0, 1.0)),
        output="<b>",
    ),
    ProbeDecoded(20, ("a",), (), (), (), (), (), None, None, ""),
    Notice(5, "Memory ran out"),
    RunStopped(30, "Stopped as asked"),
    EvaluationCompleted(10, 2.25, 9.5, None, None, True),
    EvaluationCompleted(20, 2.5, 12.0, 33.3, 50.0, False),
    TrainingPairDecoded(0, "hola\t", "hello", ""),
    SampleDecoded(10, "¿Dónde?\n\u2028", 'Where "is" it?', "<b>\\</b>\t🦊"),
    CheckpointSaved(10, "best", "runs/reverse/best"),
    RunFinished(80, 12.5, 9000),
    RunFailed("train.tsv, line 3: expected two tab-separated texts"),
)


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: type(event).__name__)
def test_an_event_is_one_line_and_restored_from_it(event: TrainingEvent) -> None:
    line = event_json(event)
    assert "\n" not in line
    assert parse_event(line + "\n") == event


def test_json_keeps_the_first_names_of_events_and_fields() -> None:
    data = [json.loads(event_json(event)) for event in SAMPLES]
    kinds = {"TrainingPairDecoded": "TaughtDecoded"}
    names = [type(event).__name__ for event in SAMPLES]
    assert [event["event"] for event in data] == [kinds.get(name, name) for name in names]
    (probe, *_) = [event for event in data if event["event"] == "ProbeDecoded"]
    outputs = {"free", "free_probabilities", "forced", "forced_probabilities", "output"}
    rest = {"event", "step", "source", "reference", "divergence", "attention"}
    assert probe.keys() == outputs | rest


def test_the_samples_have_every_kind_of_event() -> None:
    assert {type(event) for event in SAMPLES} == set(EVENTS.values())


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[]",
        "null",
        '"RunFailed"',
        "{}",
        '{"event": "Explosion"}',
        '{"event": ["RunFailed"], "reason": "x"}',
        '{"event": "RunFailed"}',
        '{"event": "RunFailed", "reason": "x", "size": 3}',
        '{"event": "RunFailed", "reason": "cut of',
    ],
)
def test_a_line_that_is_no_event_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="event"):
        parse_event(line)


def test_a_long_line_is_shortened_in_the_message() -> None:
    with pytest.raises(ValueError, match="event") as excinfo:
        parse_event("x" * 100_000)
    assert len(str(excinfo.value)) < 300


def started(resumed_at: int) -> RunStarted:
    return RunStarted("x", 1, 1, 1, 1, 1, 80, "CPU", 1, resumed_at)


def step(number: int, loss: float = 1.0) -> StepCompleted:
    return StepCompleted(number, 0, loss, 1e-3, 1.0, 1.0, 1.0, 1.0, None, None)


def test_steps_repeated_by_a_resumption_count_once() -> None:
    first = [started(0), step(1), step(2), step(3, 9.0)]
    second = [started(2), step(3, 0.5), RunFinished(3, 1.0, 1)]
    assert as_one_run(first + second) == [*first[:3], *second]


def test_a_failure_is_forgotten_when_the_run_continues() -> None:
    events = [started(0), step(1), RunFailed("disk full"), started(1), step(2)]
    assert as_one_run(events) == [started(0), step(1), started(1), step(2)]
    assert as_one_run(events[:3]) == events[:3]


def test_a_run_that_began_again_forgets_earlier_events() -> None:
    assert as_one_run([started(0), step(1, 9.0), started(0), step(1)]) == [started(0), step(1)]

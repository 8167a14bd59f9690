"""Training runs as the page shows them: request, state and all events, which are read once for all pages.

Imports neither torch nor Gradio.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Literal

from demo.i18n import later, listed, message_text, say
from demo.i18n.display import short_text
from demo.training.work.workload import OPERATIONS
from demo.work.checkpoint_label import run_label
from models.lru_cache import LruCache
from models.training.events import TrainingEvent, TrainingPairDecoded, as_one_run
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import FILES_TASK, OPTIMIZER_TITLES
from models.training.runs.collection import RUN_DAMAGED, Runs
from models.training.runs.request import RunState, without_secrets
from models.training.runs.run_folder import Run

Score = Literal["bleu", "exact_match"]
ONE_PASS = later("1 epoch, {tokens} tokens a batch")
FINE_TUNED = later("fine-tuned from {name}")
PASSES = later("{count} epochs, {tokens} tokens a batch")
MAX_KEPT = 40  # runs whose events are in memory
MAX_OVERLAYS = 4


@dataclass(frozen=True)
class RunReport:
    """The state of a run. Its texts come from a visitor, so they are not safe as HTML."""

    id: str
    title: str
    state: RunState
    message: str = ""  # a sentence: what the run does, or why it ended
    log_tail: str = ""  # the last lines of its log
    facts: tuple[str, ...] = ()  # properties of its recipe, in reading order
    events: tuple[TrainingEvent, ...] = ()  # the result of `as_one_run`
    # The titles and events of earlier runs, which are drawn behind this one.
    overlays: tuple[tuple[str, tuple[TrainingEvent, ...]], ...] = ()
    score: Score = "exact_match"  # the score that is drawn
    clip_norm: float = 0.0  # the recipe's norm above which a gradient is clipped; 0 = never
    bf16_operations: float = 0.0  # per weight and target token, in bfloat16; 0 for a recipe without
    recorded: bool = False  # True: it ships with the program and can only be watched
    is_experiment: bool = False  # see `RunRequest.is_experiment`
    mark: str = ""  # see `mark_of`


def score_of(config: TrainingConfig) -> Score:
    """The score of a run: BLEU for natural language, exact match for tasks with one right answer."""
    return "bleu" if config.data.task == FILES_TASK else "exact_match"


def bf16_operations(config: TrainingConfig) -> float:
    """The operations in bfloat16 for each weight and target token; 0 for a recipe in full precision."""
    return OPERATIONS * config.network.multiplied_share * config.optimizer.bf16


def facts_of(config: TrainingConfig) -> tuple[str, ...]:
    """The facts of a recipe in a few words each: task, network, optimizer, epochs."""
    optimizer = config.optimizer
    return (
        say(config.data.task.replace("_", " ")),
        listed(message_text(fact) for fact in config.network.facts()),
        say("{kind} tokens", kind=say(config.tokenizer.kind)),
        say(
            "{optimizer}, {schedule} rate {rate}",
            optimizer=OPTIMIZER_TITLES[optimizer.kind],
            schedule=say(optimizer.schedule.replace("_", " ")),
            rate=short_text(optimizer.learning_rate, 6),
        ),
        say(
            ONE_PASS if config.epochs == 1 else PASSES, count=config.epochs, tokens=f"{config.batch_tokens:,}"
        ),
        # In older recipes the name of the start may hold the secret id of a run.
        *((say(FINE_TUNED, name=without_secrets(config.start)),) if config.start else ()),
    )


@dataclass(frozen=True)
class FineTuningPair:
    """A corrected pair with two outputs. The texts are not safe as HTML."""

    source: str
    target: str
    before: str  # output of the checkpoint that was fine-tuned
    after: str  # output of the fine-tuned checkpoint


def fine_tuning_pairs(events: Iterable[TrainingEvent]) -> tuple[FineTuningPair, ...]:
    """The pairs in the order of the report; none before the first end, and none of a run from scratch."""
    decoded = [event for event in events if isinstance(event, TrainingPairDecoded)]
    before = {event.source: event.output for event in decoded if not event.step}
    after = {event.source: event for event in decoded if event.step}
    return tuple(
        FineTuningPair(source, event.target, before[source], event.output)
        for source, event in after.items()
        if source in before
    )


class RunReports:
    """Reads the events of runs as they are written, each once for all pages."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._lock = Lock()
        self._read: LruCache[str, tuple[list[TrainingEvent], int]] = LruCache(MAX_KEPT)

    def report(self, run: Run, overlays: Sequence[Run] = ()) -> RunReport:
        """The current report of a run. Raises UnknownRunError."""
        if self._runs.is_damaged(run):
            title, reason = run_label(self._runs, run), RUN_DAMAGED
            return RunReport(run.id, title, RunState.DAMAGED, reason, mark=mark_of(run))
        request, mark, state = self._runs.request(run), mark_of(run), run.state()
        recorded = self._runs.is_recorded(run)
        failed = state in (RunState.FAILED, RunState.LOST)
        return RunReport(
            id=run.id,
            title=say(request.title) if recorded else without_secrets(request.title),
            state=state,
            mark=mark,
            message=run.sentence(),
            log_tail=without_secrets(run.log_tail()) if failed else "",
            facts=(request.data,) if request.is_experiment else facts_of(request.config),
            score=score_of(request.config),
            clip_norm=request.config.optimizer.clip_norm,
            bf16_operations=bf16_operations(request.config),
            recorded=recorded,
            is_experiment=request.is_experiment,
            events=tuple(self.events(run)),
            overlays=tuple(
                (self._runs.request(other).title, tuple(self.events(other)))
                for other in overlays[:MAX_OVERLAYS]
                if other.id != run.id and not self._runs.is_damaged(other)
            ),
        )

    def events(self, run: Run) -> list[TrainingEvent]:
        """All events so far, without those that a resumed run has repeated."""
        with self._lock:
            events, offset = self._read.get(run.id) or ([], 0)
            new_events, offset = run.events(offset)
            if new_events:
                events = as_one_run([*events, *new_events])
            self._read[run.id] = events, offset
            return events


def mark_of(run: Run) -> str:
    """A text that changes when an inactive run continues; a page with the same mark needs no new report."""
    return f"{run.state().value} {round(run.status().seconds, 3)}"

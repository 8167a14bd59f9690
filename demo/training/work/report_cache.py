"""Reports of training runs, whose events are read once for all pages."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from demo.i18n import say
from demo.training.work.run_report import Overlay, RunReport, bf16_operations, facts_of, score_of
from demo.work.checkpoint_label import run_label
from models.lru_cache import LruCache
from models.training.events import TrainingEvent, as_one_run
from models.training.runs.collection import RUN_DAMAGED, Runs
from models.training.runs.request import without_secrets
from models.training.runs.run_folder import Run
from models.training.runs.status import RunState

MAX_KEPT = 40  # runs whose events are in memory
MAX_OVERLAYS = 4


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
                Overlay(other.id, self._runs.request(other).title, tuple(self.events(other)))
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
    return f"{run.state().value} {run.status().seconds:.3f}"

"""A frontier that is a stack: the newest rows first, and only those that may still win."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from models.decoding.search.beam import NEG_INF, Beam, Pool
from models.decoding.search.frontier.live_rows import LiveRows, next_rows
from models.decoding.search.step import SearchStep, StepOutcome
from models.decoding.search.strategy import DecodingStrategy
from models.networks.base import DecoderState


@dataclass(frozen=True)
class _Path:
    """The parts that T steps added to the decoder state, oldest first, and the rows that they belong to.

    The decoder state of a row is rebuilt from them. Steps share the parts of their common ancestors; a full
    state for each step would take memory quadratic in the depth.
    """

    parts: tuple[Any, ...] = ()  # T values of `DecoderState.newest`
    rows: Tensor | None = None  # (T, R) int64: the row of each step that leads to row r; None before step 0


@dataclass(frozen=True)
class _ExpandedStep:
    """A step of the one sentence. It is kept while one of its survivors is on the stack."""

    beam: Beam  # K rows, before the step
    outcome: StepOutcome
    number: int
    path: _Path  # the parts up to and including this step, for its K rows


class DepthFirst:
    """A stack of the survivors of one sentence: the best of the latest step come first, `width` at a time."""

    def __init__(self, strategy: DecodingStrategy, pool: Pool) -> None:
        self._strategy, self._hypotheses = strategy, pool.groups[0]
        # Survivors of one step by rank, no more than `width`, which wait to be expanded together.
        self._stack: list[tuple[_ExpandedStep, Sequence[int]]] = []
        # The first state, in `width` rows. All rebuilt states share its encoded source.
        self._first_state: DecoderState | None = None
        # The latest step with its whole state: the next rows are usually its own, and need no rebuilding.
        self._latest: tuple[_ExpandedStep, DecoderState] | None = None
        self._live_path = _Path()  # the path to the rows that are being expanded

    def push(self, step: SearchStep, state: DecoderState) -> None:
        """Add the survivors of a step; `state` is the decoder's after it, with the rows of its beam."""
        outcome, width, device = step.outcomes[0], self._strategy.width, step.beam.tokens.device
        ranks = outcome.survivors
        if not ranks:
            return
        if self._first_state is None:
            first_row = torch.zeros(width, dtype=torch.int64, device=device)
            self._first_state = state.reorder(first_row, rows_per_source=width)
        step_rows = torch.arange(step.beam.rank_scores.numel(), device=device).unsqueeze(0)  # (1, K)
        earlier = self._live_path
        rows = step_rows if earlier.rows is None else torch.cat((earlier.rows, step_rows))
        expanded = _ExpandedStep(
            step.beam, outcome, step.number, _Path((*earlier.parts, state.newest()), rows)
        )
        self._latest = expanded, state
        for start in reversed(range(0, len(ranks), width)):
            self._stack.append((expanded, ranks[start : start + width]))

    def pop(self) -> LiveRows | None:
        """Return the next rows; None if nothing is left.

        Rows that can no longer beat the finished sequences are dropped.
        """
        while self._stack:
            step, ranks = self._stack.pop()
            bound = self._hypotheses.worst if self._strategy.bounded else NEG_INF
            picks = [(0, rank) for rank in ranks if step.outcome.rank_scores[rank] > bound]
            if picks:
                rows = next_rows(step.beam, (step.outcome,), picks, 1, step.number)
                return LiveRows((0,), rows.beam, self._state(step, rows.parents), rows.last_tokens)
        return None

    def _state(self, step: _ExpandedStep, parents: Tensor) -> DecoderState:
        """Return the decoder state of rows that continue the rows `parents` (R,) of a step."""
        assert self._first_state is not None
        assert step.path.rows is not None
        latest, self._latest = self._latest, None
        rows = step.path.rows.index_select(1, parents)
        self._live_path = _Path(step.path.parts, rows)
        if latest is not None and latest[0] is step and len(parents) <= step.path.rows.shape[1]:
            return latest[1].reorder(parents, same_source=True)
        del latest  # frees its state before another one is made
        return self._first_state.resume(step.path.parts, rows)

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
class _Expanded:
    """One step of one sentence, kept while a descendant is on the stack.

    It stores what each ancestor step added, shared between descendants: a full state for each step would
    take memory quadratic in the depth.
    """

    beam: Beam  # before the step, K rows
    outcome: StepOutcome
    step_number: int
    newest: tuple[Any, ...]  # T, what each step up to this one added; see `DecoderState.newest`
    rows: Tensor  # (T, K) int64, which row of each became row k of this one


@dataclass(frozen=True)
class _Branch:
    """Survivors of a step that wait for their turn."""

    origin: _Expanded
    ranks: Sequence[int]


class DepthFirst:
    """A stack: the best survivors of the latest step first, `width` at a time (one sentence only)."""

    def __init__(self, strategy: DecodingStrategy, pool: Pool) -> None:
        self._strategy, self._hypotheses = strategy, pool.groups[0]
        self._stack: list[_Branch] = []
        self._source: DecoderState | None = None  # whose source, in `width` rows, all others share
        # The latest step and its whole state, since the rows that it made come next.
        self._latest: tuple[_Expanded, DecoderState] | None = None
        self._came_from: tuple[tuple[Any, ...], Tensor | None] = (
            (),
            None,
        )  # history of the rows that are being expanded

    def push(self, step: SearchStep, state: DecoderState) -> None:
        outcome, width, device = step.outcomes[0], self._strategy.width, step.beam.tokens.device
        ranks = outcome.survivors
        if not ranks:
            return
        if self._source is None:
            first_row = torch.zeros(width, dtype=torch.int64, device=device)
            self._source = state.reorder(first_row, together=width)
        newest, before = self._came_from
        these = torch.arange(step.beam.rank_scores.numel(), device=device).unsqueeze(0)
        rows = these if before is None else torch.cat((before, these))
        origin = _Expanded(step.beam, outcome, step.number, (*newest, state.newest()), rows)
        self._latest = origin, state
        for start in reversed(range(0, len(ranks), width)):
            self._stack.append(_Branch(origin, ranks[start : start + width]))

    def pop(self) -> LiveRows | None:
        """Return the next rows; those that can no longer beat the finished sequences are dropped."""
        while self._stack:
            branch = self._stack.pop()
            origin, outcome = branch.origin, branch.origin.outcome
            bound = self._hypotheses.worst if self._strategy.bounded else NEG_INF
            picks = [(0, rank) for rank in branch.ranks if outcome.rank_scores[rank] > bound]
            if picks:
                rows = next_rows(origin.beam, (outcome,), picks, 1, origin.step_number)
                return LiveRows((0,), rows.beam, self._state(origin, rows.parents), rows.last_tokens)
        return None

    def _state(self, origin: _Expanded, parents: Tensor) -> DecoderState:
        """The state of the rows that grew from `parents` (R,), rows of a step."""
        assert self._source is not None
        latest, self._latest = self._latest, None
        rows = origin.rows.index_select(1, parents)
        self._came_from = (origin.newest, rows)
        if latest is not None and latest[0] is origin and len(parents) <= origin.rows.shape[1]:
            return latest[1].reorder(parents, same_source=True)
        del latest  # before another one is made
        return self._source.resumed(origin.newest, rows)

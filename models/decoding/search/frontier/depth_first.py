"""The newest rows first, and only those that may still win: a search with a stack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from models.decoding.search.beam import NEVER, Beam, Pool
from models.decoding.search.frontier.front import Front, TakenStep, grown_rows
from models.decoding.search.step import StepOutcome
from models.decoding.search.strategy import DecodingStrategy
from models.networks.base import DecoderState


@dataclass(frozen=True)
class _Expansion:
    """One step of one sentence, for as long as something that grew from it waits.

    It keeps what each step on the way to it added, and shares that with all others that came that way:
    a state of its own for each step would take memory by the square of the depth.
    """

    beam: Beam  # before the step, K rows
    outcome: StepOutcome
    serial: int
    newest: tuple[Any, ...]  # T, what each step up to this one added; see `DecoderState.newest`
    rows: Tensor  # (T, K) int64, which row of each became row k of this one


@dataclass(frozen=True)
class _Branch:
    """Survivors of a step that wait for their turn."""

    origin: _Expansion
    ranks: Sequence[int]


class DepthFirst:
    """A stack: the best survivors of the latest step first, `width` at a time (one sentence only)."""

    def __init__(self, strategy: DecodingStrategy, pool: Pool) -> None:
        self._strategy, self._hypotheses = strategy, pool.groups[0]
        self._stack: list[_Branch] = []
        self._source: DecoderState | None = None  # whose source, in `width` rows, all others share
        # The latest step and its state, whole: what has just been made comes next.
        self._latest: tuple[_Expansion, DecoderState] | None = None
        self._came_from: tuple[tuple[Any, ...], Tensor | None] = ((), None)  # of the rows that are out

    def push(self, taken: TakenStep) -> None:
        """See `Frontier.push`."""
        front, state = taken.front, taken.state
        outcome, width = taken.outcomes[0], self._strategy.width
        ranks = outcome.survivors
        if not ranks:
            return
        if self._source is None:
            self._source = state.reorder(front.last.new_zeros(width), together=width)
        newest, before = self._came_from
        own = torch.arange(len(front.last), device=front.last.device).unsqueeze(0)
        rows = own if before is None else torch.cat((before, own))
        origin = _Expansion(front.beam, outcome, taken.serial, (*newest, state.newest()), rows)
        self._latest = origin, state
        for start in reversed(range(0, len(ranks), width)):
            self._stack.append(_Branch(origin, ranks[start : start + width]))

    def pop(self) -> Front | None:
        """See `Frontier.pop`; what can no longer beat the finished sequences is dropped on the way."""
        while self._stack:
            branch = self._stack.pop()
            origin, outcome = branch.origin, branch.origin.outcome
            bound = self._hypotheses.worst if self._strategy.bounded else NEVER
            picks = [(0, rank) for rank in branch.ranks if outcome.order[rank] > bound]
            if picks:
                grown = grown_rows(origin.beam, (outcome,), picks, 1, None, origin.serial)
                return Front((0,), grown.beam, self._state(origin, grown.rows), grown.last)
        return None

    def _state(self, origin: _Expansion, parents: Tensor) -> DecoderState:
        """The state of the rows that grew from `parents` (R,), rows of a step."""
        assert self._source is not None
        latest, self._latest = self._latest, None
        rows = origin.rows.index_select(1, parents)
        self._came_from = (origin.newest, rows)
        if latest is not None and latest[0] is origin and len(parents) <= origin.rows.shape[1]:
            return latest[1].reorder(parents, same_source=True)
        del latest  # before another one is made
        return self._source.resumed(origin.newest, rows)

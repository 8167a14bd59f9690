"""Which rows a search expands next: all of a step together, or the newest ones first."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from models.decoding.search.beam import EMPTY, NEVER, Beam, Pool
from models.decoding.search.conditions import Constraints
from models.decoding.search.step import StepOutcome
from models.decoding.strategies.base import DecodingStrategy
from models.device import FreedMemory
from models.networks.base import DecoderState

KINDS = {"q": torch.int64, "f": torch.float32, "d": torch.float64}  # of an array's numbers


@dataclass(frozen=True)
class Front:
    """Rows of equal length that are expanded together."""

    sentences: tuple[int, ...]  # A positions in the batch
    beam: Beam  # A x K rows
    state: DecoderState
    last: Tensor  # (R,), the token that each row ends in: A * K of them, unless some are left out


class Frontier(Protocol):
    """Takes what survives a step, gives what comes next."""

    def push(
        self,
        front: Front,
        state: DecoderState,
        outcomes: Sequence[StepOutcome],
        tempered: Tensor | None,
        serial: int,
    ) -> None:
        """`state` is the one after the step with this serial number, rows as in `front`."""

    def pop(self) -> Front | None:
        """None when there is nothing left."""


class Lockstep:
    """All survivors of all sentences at once; a sentence that is done leaves the batch."""

    def __init__(self, constraints: Constraints) -> None:
        """Where sentences are scouted the network is not asked about empty rows: most of them are."""
        self._leaves_out = bool(constraints.scouted)
        self._next: Front | None = None
        self._read: list[int] = []  # of each row that is asked the sentence, where some are left out

    def push(
        self,
        front: Front,
        state: DecoderState,
        outcomes: Sequence[StepOutcome],
        tempered: Tensor | None,
        serial: int,
    ) -> None:
        """See `Frontier.push`."""
        active = [position for position, outcome in enumerate(outcomes) if max(outcome.survivors) != EMPTY]
        if not active:
            return
        width = len(outcomes[0].survivors)
        picks = [(position, rank) for position in active for rank in outcomes[position].survivors]
        grown = _grown(front.beam, outcomes, picks, len(active), tempered, serial)
        sentences = tuple(front.sentences[position] for position in active)
        if self._leaves_out:
            self._next = self._of_some(front, state, grown, picks, sentences)
            return
        if grown.moved:
            same = len(active) == len(front.sentences) and len(grown.rows) == len(front.last)
            state = state.reorder(grown.rows, same_source=same, together=width)
        self._next = Front(sentences, grown.beam, state, grown.last)

    def _of_some(
        self,
        front: Front,
        state: DecoderState,
        grown: _Grown,
        picks: Sequence[tuple[int, int]],
        sentences: tuple[int, ...],
    ) -> Front:
        """The rows that are not empty, each with a source of its own."""
        device, before = grown.last.device, front.beam.answered_by
        filled = [place for place, (_, rank) in enumerate(picks) if rank != EMPTY]
        read = [front.sentences[picks[place][0]] for place in filled]
        places = _column("q", filled, device)
        rows = grown.rows.index_select(0, places)
        rows = rows if before is None else before.flatten().index_select(0, rows)
        state = state.reorder(rows, same_source=read == self._read)
        self._read = read
        answered_by = torch.zeros_like(grown.last).index_copy_(
            0, places, torch.arange(len(filled), device=device)
        )
        beam = replace(grown.beam, answered_by=answered_by.view(len(sentences), -1))
        return Front(sentences, beam, state, grown.last.index_select(0, places))

    def pop(self) -> Front | None:
        """See `Frontier.pop`."""
        front, self._next = self._next, None
        return front


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
        self._freed = FreedMemory()  # states grow with every token
        self._came_from: tuple[tuple[Any, ...], Tensor | None] = ((), None)  # of the rows that are out

    def push(
        self,
        front: Front,
        state: DecoderState,
        outcomes: Sequence[StepOutcome],
        tempered: Tensor | None,
        serial: int,
    ) -> None:
        """See `Frontier.push`."""
        outcome, width = outcomes[0], self._strategy.width
        ranks = outcome.survivors
        if not ranks:
            return
        if self._source is None:
            self._source = state.reorder(front.last.new_zeros(width), together=width)
        newest, before = self._came_from
        own = torch.arange(len(front.last), device=front.last.device).unsqueeze(0)
        rows = own if before is None else torch.cat((before, own))
        origin = _Expansion(front.beam, outcome, serial, (*newest, state.newest()), rows)
        self._latest = origin, state
        for start in reversed(range(0, len(ranks), width)):
            self._stack.append(_Branch(origin, ranks[start : start + width]))

    def pop(self) -> Front | None:
        """See `Frontier.pop`; what can no longer beat the finished sequences is dropped on the way."""
        self._freed.settle()
        while self._stack:
            branch = self._stack.pop()
            origin, outcome = branch.origin, branch.origin.outcome
            bound = self._hypotheses.worst if self._strategy.bounded else NEVER
            picks = [(0, rank) for rank in branch.ranks if outcome.order[rank] > bound]
            if picks:
                grown = _grown(origin.beam, (outcome,), picks, 1, None, origin.serial)
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


class _Grown(NamedTuple):
    """The rows that candidates make."""

    beam: Beam
    rows: Tensor  # (R,) int64, of each the row that it grew from
    last: Tensor  # (R,) int64, of each its token
    moved: bool  # False: every row grew from itself, and there are no others


def _grown(
    beam: Beam,
    outcomes: Sequence[StepOutcome],
    picks: Sequence[tuple[int, int]],
    sentences: int,
    tempered: Tensor | None,
    serial: int,
) -> _Grown:
    """The rows of the picked candidates (position, rank)."""
    num_rows, device = beam.order.shape[1], beam.tokens.device
    rows: list[int] = []
    tokens: list[int] = []
    own: list[float] = []
    order: list[float] = []
    for position, rank in picks:
        outcome = outcomes[position]
        if rank == EMPTY:
            rows.append(position * num_rows)
            tokens.append(0)
            own.append(NEVER)
            order.append(NEVER)
        else:
            rows.append(position * num_rows + outcome.parents[rank])
            tokens.append(outcome.tokens[rank])
            own.append(outcome.cumulative[rank])
            order.append(outcome.order[rank])
    parents, last = _column("q", rows + tokens, device).view(2, -1).unbind(0)
    history = beam.tokens.flatten(0, 1)
    moved = rows != list(range(len(history)))
    following = torch.cat((history.index_select(0, parents) if moved else history, last.unsqueeze(1)), dim=1)
    # Perturbed orders need double precision, which not every device has; others stay in single precision.
    ranked = _column("f" if tempered is None else "d", order, device).view(sentences, -1)
    totals = ranked if own == order else _column("f", own, device).view(sentences, -1)
    grown = Beam(
        tokens=following.view(sentences, -1, beam.length + 1),
        log_probs=totals,
        order=ranked,
        eos_id=beam.eos_id,
        tempered=_picked(tempered, picks, sentences),
        origin=serial,
        ranks=_by_sentence(picks, sentences),
    )
    return _Grown(grown, parents, last, moved)


def _column(kind: str, numbers: Sequence[float], device: torch.device) -> Tensor:
    """A tensor of the numbers, by way of an array of this kind: `torch.tensor` takes three times as long."""
    return torch.frombuffer(array(kind, numbers), dtype=KINDS[kind]).to(device)


def _picked(tempered: Tensor | None, picks: Sequence[tuple[int, int]], sentences: int) -> Tensor | None:
    if tempered is None:
        return None
    positions, ranks = (torch.tensor(column, device=tempered.device) for column in zip(*picks, strict=True))
    values = tempered[positions, ranks.clamp_min(0)].masked_fill(ranks == EMPTY, NEVER)
    return values.view(sentences, -1)


def _by_sentence(picks: Sequence[tuple[int, int]], sentences: int) -> tuple[tuple[int, ...], ...]:
    ranks = [rank for _, rank in picks]
    width = len(ranks) // sentences
    return tuple(tuple(ranks[start : start + width]) for start in range(0, len(ranks), width))

"""Which rows a search expands next: what every frontier is, and the rows that grow from candidates."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from models.decoding.search.beam import EMPTY, NEVER, Beam
from models.decoding.search.step import StepOutcome
from models.networks.base import DecoderState

KINDS = {"q": torch.int64, "f": torch.float32, "d": torch.float64}  # of an array's numbers


@dataclass(frozen=True)
class Front:
    """Rows of equal length that are expanded together."""

    sentences: tuple[int, ...]  # A positions in the batch
    beam: Beam  # A x K rows
    state: DecoderState
    last: Tensor  # (A * K,), the token that each row ends in


class TakenStep(NamedTuple):
    """A step, as far as it matters to what comes next."""

    front: Front
    state: DecoderState  # after the step, rows as in the front
    outcomes: Sequence[StepOutcome]  # A
    tempered: Tensor | None  # (A, C), see `Candidates`
    serial: int  # number of the step


class Frontier(Protocol):
    """Takes what survives a step, gives what comes next."""

    def push(self, taken: TakenStep) -> None:
        """The step of the front that was last popped."""

    def pop(self) -> Front | None:
        """None when there is nothing left."""


class Grown(NamedTuple):
    """The rows that candidates make."""

    beam: Beam
    rows: Tensor  # (R,) int64, of each the row that it grew from
    last: Tensor  # (R,) int64, of each its token
    moved: bool  # False: every row grew from itself, and there are no others


def grown_rows(
    beam: Beam,
    outcomes: Sequence[StepOutcome],
    picks: Sequence[tuple[int, int]],
    sentences: int,
    tempered: Tensor | None,
    serial: int,
) -> Grown:
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
    parents, last = column("q", rows + tokens, device).view(2, -1).unbind(0)
    history = beam.tokens.flatten(0, 1)
    moved = rows != list(range(len(history)))
    following = torch.cat((history.index_select(0, parents) if moved else history, last.unsqueeze(1)), dim=1)
    # Perturbed orders need double precision, which not every device has; others stay in single precision.
    ranked = column("f" if tempered is None else "d", order, device).view(sentences, -1)
    totals = ranked if own == order else column("f", own, device).view(sentences, -1)
    grown = Beam(
        tokens=following.view(sentences, -1, beam.length + 1),
        log_probs=totals,
        order=ranked,
        eos_id=beam.eos_id,
        tempered=_picked(tempered, picks, sentences),
        origin=serial,
        ranks=_by_sentence(picks, sentences),
    )
    return Grown(grown, parents, last, moved)


class Survivors(NamedTuple):
    """All that goes on after a step."""

    sentences: tuple[int, ...]  # that do, positions in the batch
    picks: list[tuple[int, int]]  # of each of their rows the place in the step's front, and the rank or EMPTY
    width: int  # rows of a sentence
    grown: Grown


def survivors_of(taken: TakenStep) -> Survivors | None:
    """The rows of the next step; None if there are none."""
    front, outcomes = taken.front, taken.outcomes
    active = [position for position, outcome in enumerate(outcomes) if max(outcome.survivors) != EMPTY]
    if not active:
        return None
    picks = [(position, rank) for position in active for rank in outcomes[position].survivors]
    grown = grown_rows(front.beam, outcomes, picks, len(active), taken.tempered, taken.serial)
    sentences = tuple(front.sentences[position] for position in active)
    return Survivors(sentences, picks, len(outcomes[0].survivors), grown)


def column(kind: str, numbers: Sequence[float], device: torch.device) -> Tensor:
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

"""The rows that a search expands next: all of a step together, or the newest first."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from models.decoding.search.beam import NEG_INF, PADDING, Beam, Pool
from models.decoding.search.step import SearchStep, StepOutcome
from models.decoding.search.strategy import DecodingStrategy
from models.networks.base import DecoderState

DTYPES = {"q": torch.int64, "f": torch.float32, "d": torch.float64}  # keys: type codes of `array`


@dataclass(frozen=True)
class LiveRows:
    """Rows of equal length that are expanded together."""

    sentences: tuple[int, ...]  # B positions in the batch
    beam: Beam  # B x K rows
    state: DecoderState
    last_tokens: Tensor  # (B * K,), the token that each row ends in


class NextRows(NamedTuple):
    """R rows made from candidates."""

    beam: Beam
    parents: Tensor  # (R,) int64, the row that each grew from
    last_tokens: Tensor  # (R,) int64
    moved: bool  # False: row i continues row i, for all rows, so the state needs no reordering


def next_rows(
    beam: Beam,
    outcomes: Sequence[StepOutcome],
    picks: Sequence[tuple[int, int]],
    sentences: int,
    step_number: int,
    tempered: Tensor | None = None,
) -> NextRows:
    """Return the rows that candidates make.

    picks: (sentence index, rank) of each row, with rank PADDING for padding. sentences: the number of
    sentences that have rows. step_number: the step of the candidates. tempered (B, C): see `Candidates`.
    """
    num_rows, device = beam.rank_scores.shape[1], beam.tokens.device
    parents: list[int] = []
    tokens: list[int] = []
    cumulative: list[float] = []
    rank_scores: list[float] = []
    for index, rank in picks:
        outcome = outcomes[index]
        if rank == PADDING:
            parents.append(index * num_rows)
            tokens.append(0)
            cumulative.append(NEG_INF)
            rank_scores.append(NEG_INF)
        else:
            parents.append(index * num_rows + outcome.parents[rank])
            tokens.append(outcome.tokens[rank])
            cumulative.append(outcome.cumulative[rank])
            rank_scores.append(outcome.rank_scores[rank])
    parent_rows, last_tokens = _tensor("q", parents + tokens, device).view(2, -1).unbind(0)
    history = beam.tokens.flatten(0, 1)
    moved = parents != list(range(len(history)))
    prefixes = history.index_select(0, parent_rows) if moved else history
    # Perturbed scores need double precision, which not every device has; others stay in single precision.
    rank_tensor = _tensor("f" if tempered is None else "d", rank_scores, device).view(sentences, -1)
    next_beam = Beam(
        tokens=torch.cat((prefixes, last_tokens.unsqueeze(1)), dim=1).view(sentences, -1, beam.length + 1),
        cumulative=rank_tensor
        if cumulative == rank_scores
        else _tensor("f", cumulative, device).view(sentences, -1),
        rank_scores=rank_tensor,
        eos_id=beam.eos_id,
        tempered=_tempered_of(tempered, picks, sentences),
        origin=step_number,
        ranks=_by_sentence(picks, sentences),
    )
    return NextRows(next_beam, parent_rows, last_tokens, moved)


def _tensor(code: str, numbers: Sequence[float], device: torch.device) -> Tensor:
    """A tensor made from an array of this type code: `torch.tensor` takes three times as long."""
    return torch.frombuffer(array(code, numbers), dtype=DTYPES[code]).to(device)


def _tempered_of(tempered: Tensor | None, picks: Sequence[tuple[int, int]], sentences: int) -> Tensor | None:
    if tempered is None:
        return None
    indices, ranks = (torch.tensor(column, device=tempered.device) for column in zip(*picks, strict=True))
    values = tempered[indices, ranks.clamp_min(0)].masked_fill(ranks == PADDING, NEG_INF)
    return values.view(sentences, -1)


def _by_sentence(picks: Sequence[tuple[int, int]], sentences: int) -> tuple[tuple[int, ...], ...]:
    ranks = [rank for _, rank in picks]
    width = len(ranks) // sentences
    return tuple(tuple(ranks[start : start + width]) for start in range(0, len(ranks), width))


class Lockstep:
    """A frontier that expands the survivors of all sentences at once; finished sentences leave the batch."""

    def __init__(self) -> None:
        self._next: LiveRows | None = None

    def push(self, step: SearchStep, state: DecoderState) -> None:
        """Add the survivors of a step; `state` is the decoder's after it, with the rows of its beam."""
        active = [index for index, outcome in enumerate(step.outcomes) if max(outcome.survivors) != PADDING]
        if not active:
            return
        picks = [(index, rank) for index in active for rank in step.outcomes[index].survivors]
        rows = next_rows(step.beam, step.outcomes, picks, len(active), step.number, step.candidates.tempered)
        if rows.moved:
            shape = step.beam.rank_scores.shape
            same_source = len(active) == shape[0] and len(picks) == shape.numel()
            state = state.reorder(
                rows.parents, same_source=same_source, rows_per_source=len(picks) // len(active)
            )
        sentences = tuple(step.sentences[index] for index in active)
        self._next = LiveRows(sentences, rows.beam, state, rows.last_tokens)

    def pop(self) -> LiveRows | None:
        """Return the rows to expand next; None if nothing is left."""
        rows, self._next = self._next, None
        return rows


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

"""The way that a search with one row for each sentence goes, with all that the network said on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from torch import Tensor

from models.decoding.search.beam import EMPTY, NEVER, Candidates
from models.decoding.search.frontier.front import Front, TakenStep, column
from models.decoding.search.frontier.lockstep import Lockstep
from models.decoding.search.known import Known
from models.networks.base import DecoderState

NOWHERE = -1  # the way ends here


@dataclass(frozen=True)
class Stage:
    """One step of all ways that had not ended before it."""

    places: list[int]  # of each of B sentences the row in this step, any if it has none
    following: list[int]  # of each of B sentences the token with which its way goes on, or NOWHERE
    order: Tensor  # (A, C) of each row
    own: Tensor  # (A, C)
    tokens: Tensor  # (A, C) int64
    newest: Any  # what the step added to the state, see `DecoderState.newest`


class Ways:
    """The ways of B sentences, step by step. Their states take memory by the length, not by its square."""

    def __init__(self, first: Front, after: DecoderState) -> None:
        """The front before the first step, of one row for each sentence, and the state after it."""
        self.first = first
        self._after_first = after
        self._stages: list[Stage] = []

    def add(self, stage: Stage) -> None:
        """The next step."""
        self._stages.append(stage)

    def following(self, length: int, sentence: int) -> int:
        """The token that follows the first `length` of a way, or NOWHERE."""
        return self._stages[length].following[sentence]

    def known(self, length: int, sentences: Sequence[int], rows: list[int]) -> Known:
        """What may follow the first `length` tokens of the ways, which these rows of A sentences hold."""
        stage, device = self._stages[length], self.first.last.device
        places = column("q", [stage.places[sentence] for sentence in sentences], device)
        parents = column("q", [max(row, 0) for row in rows], device).unsqueeze(1)
        order, tokens = stage.order.index_select(0, places), stage.tokens.index_select(0, places)
        if EMPTY in rows:
            without = [position for position, row in enumerate(rows) if row == EMPTY]
            order = order.index_fill(0, column("q", without, device), NEVER)
        own = order if stage.own is stage.order else stage.own.index_select(0, places)
        return Known(rows, Candidates(parents.expand_as(tokens), tokens, order), own)

    def reading(self, sentences: Sequence[int]) -> DecoderState:
        """A state with a row for each of these, which reads its source; for `DecoderState.joined`."""
        return self._after_first.reorder(column("q", sentences, self.first.last.device))

    def state(self, length: int, sentences: Sequence[int]) -> DecoderState:
        """The state in which these ways were once `length` tokens were read, the first included.

        Its rows read any source: it is a part for `DecoderState.joined`.
        """
        device, stages = self.first.last.device, self._stages[:length]
        rows = column("q", [stage.places[sentence] for stage in stages for sentence in sentences], device)
        any_source = self._after_first.reorder(rows.new_zeros(len(sentences)), together=len(sentences))
        return any_source.resumed([stage.newest for stage in stages], rows.view(length, -1))


class KeptWays(Lockstep):
    """A search with one row for each sentence, whose ways are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.ways: Ways | None = None  # none before the first step

    def push(self, taken: TakenStep) -> None:
        """See `Frontier.push`."""
        if self.ways is None:
            self.ways = Ways(taken.front, taken.state)
        self.ways.add(_stage(taken, len(self.ways.first.sentences)))
        super().push(taken)


def _stage(taken: TakenStep, batch: int) -> Stage:
    front, outcomes = taken.front, taken.outcomes
    places, following = [0] * batch, [NOWHERE] * batch
    for position, (sentence, outcome) in enumerate(zip(front.sentences, outcomes, strict=True)):
        places[sentence] = position
        (rank,) = outcome.survivors
        following[sentence] = NOWHERE if rank == EMPTY else outcome.tokens[rank]

    def rows(kind: str, columns: Sequence[Sequence[float]]) -> Tensor:
        return column(kind, list(chain.from_iterable(columns)), front.last.device).view(len(outcomes), -1)

    order = rows("f", [outcome.order for outcome in outcomes])
    same = all(outcome.cumulative is outcome.order for outcome in outcomes)
    own = order if same else rows("f", [outcome.cumulative for outcome in outcomes])
    tokens = rows("q", [outcome.tokens for outcome in outcomes])
    return Stage(places, following, order, own, tokens, taken.state.newest())

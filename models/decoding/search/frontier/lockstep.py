"""All rows of a step together."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from models.decoding.search.frontier.front import Front, grown_rows, survivors_of
from models.decoding.search.step import StepOutcome
from models.networks.base import DecoderState


class Lockstep:
    """All survivors of all sentences at once; a sentence that is done leaves the batch."""

    def __init__(self) -> None:
        self._next: Front | None = None

    def push(
        self,
        front: Front,
        state: DecoderState,
        outcomes: Sequence[StepOutcome],
        tempered: Tensor | None,
        serial: int,
    ) -> None:
        """See `Frontier.push`."""
        going = survivors_of(outcomes)
        if not going.active:
            return
        grown = grown_rows(front.beam, outcomes, going.picks, len(going.active), tempered, serial)
        sentences = tuple(front.sentences[position] for position in going.active)
        if grown.moved:
            same = len(sentences) == len(front.sentences) and len(grown.rows) == len(front.last)
            state = state.reorder(grown.rows, same_source=same, together=going.width)
        self._next = Front(sentences, grown.beam, state, grown.last)

    def pop(self) -> Front | None:
        """See `Frontier.pop`."""
        front, self._next = self._next, None
        return front

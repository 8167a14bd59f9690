"""All rows of a step together."""

from __future__ import annotations

from models.decoding.search.frontier.front import Front, TakenStep, survivors_of


class Lockstep:
    """All survivors of all sentences at once; a sentence that is done leaves the batch."""

    def __init__(self) -> None:
        self._next: Front | None = None

    def push(self, taken: TakenStep) -> None:
        """See `Frontier.push`."""
        going = survivors_of(taken)
        if going is None:
            return
        front, state, grown = taken.front, taken.state, going.grown
        if grown.moved:
            same = len(going.sentences) == len(front.sentences) and len(grown.rows) == len(front.last)
            state = state.reorder(grown.rows, same_source=same, together=going.width)
        self._next = Front(going.sentences, grown.beam, state, grown.last)

    def pop(self) -> Front | None:
        """See `Frontier.pop`."""
        front, self._next = self._next, None
        return front

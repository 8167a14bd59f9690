"""A frontier that expands all rows of a step together."""

from __future__ import annotations

from models.decoding.search.beam import PADDING
from models.decoding.search.frontier.live_rows import LiveRows, next_rows
from models.decoding.search.step import SearchStep
from models.networks.base import DecoderState


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

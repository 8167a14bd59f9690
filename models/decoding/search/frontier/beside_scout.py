"""A search that asks its network about what leaves the scout's way, and not again about the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from models.decoding.search.beam import EMPTY, NEVER, Beam
from models.decoding.search.frontier.front import Front, Survivors, TakenStep, column, survivors_of
from models.decoding.search.frontier.lockstep import Lockstep
from models.decoding.search.frontier.ways import Ways
from models.networks.base import DecoderState


@dataclass
class _Asked:
    """The rows that the network is to be asked about, by their places among all rows."""

    grown: list[int] = field(default_factory=list)  # places of those that grew from a row that was asked
    from_rows: list[int] = field(default_factory=list)  # and which one
    left: list[int] = field(default_factory=list)  # places of those that have just left a way
    sentences: list[int] = field(default_factory=list)  # and of which sentence

    @property
    def places(self) -> list[int]:
        """In the order in which the network is asked."""
        return self.grown + self.left


class BesideScout(Lockstep):
    """All survivors at once, but those that a scout has been to: what the network said there is known.

    Empty rows are left out too: most of them are.
    """

    def __init__(self, ways: Ways, sentences: Sequence[int]) -> None:
        """Of the sentences of a batch, by their positions, those that are to be searched."""
        super().__init__()
        self._ways = ways
        self._reads: list[int] = list(sentences[:1])  # of each asked row the sentence
        self._answers: list[int] = [0] * len(sentences)  # of each row of the beam the asked row, any if none
        first, device = ways.first, ways.first.last.device
        roots = Beam.start(len(sentences), 1, first.beam.eos_id, device)
        beam = replace(
            roots,
            order=roots.order.new_full(roots.order.shape, NEVER),
            answered_by=column("q", self._answers, device).view(-1, 1),
        )
        # Of one row that nobody needs: a network is asked about one at least.
        state, last = first.state.reorder(column("q", self._reads, device)), first.last[:1]
        known = ways.known(0, sentences, [0] * len(sentences))
        self._next = Front(tuple(sentences), beam, state, last, known)

    def push(self, taken: TakenStep) -> None:
        """See `Frontier.push`."""
        going = survivors_of(taken)
        if going is None:
            return
        sentences, last = going.sentences, going.grown.last
        on_way, asked = self._sorted_out(taken, going)
        if not asked.places:  # a network is asked about one row at least
            at = next(at for at, row in enumerate(on_way) if row != EMPTY)
            asked.left, asked.sentences = [at * going.width + on_way[at]], [sentences[at]]
        state = self._state(taken, asked, going)
        beam = self._beam(going, on_way, asked)
        last = last.index_select(0, column("q", asked.places, last.device))
        known = self._ways.known(beam.length, sentences, on_way) if any(r != EMPTY for r in on_way) else None
        self._next = Front(sentences, beam, state, last, known)

    def _sorted_out(self, taken: TakenStep, going: Survivors) -> tuple[list[int], _Asked]:
        """Of each sentence that goes on the row that is on the way, or EMPTY; and all rows that are not."""
        front, outcomes, width = taken.front, taken.outcomes, going.width
        length, rows_before = front.beam.length, front.beam.order.shape[1]
        on_way, asked = [EMPTY] * len(going.sentences), _Asked()
        ways_before = front.known.rows if front.known else [EMPTY] * len(outcomes)
        for place, (position, rank) in enumerate(going.picks):
            if rank == EMPTY:
                continue
            outcome, sentence = outcomes[position], front.sentences[position]
            parent = outcome.parents[rank]
            if parent != ways_before[position]:
                asked.grown.append(place)
                asked.from_rows.append(self._answers[position * rows_before + parent])
            elif outcome.tokens[rank] == self._ways.following(length, sentence):
                on_way[place // width] = place % width
            else:
                asked.left.append(place)
                asked.sentences.append(sentence)
        return on_way, asked

    def _state(self, taken: TakenStep, asked: _Asked, going: Survivors) -> DecoderState:
        """The state of all rows that the network is to be asked about."""
        state, device = taken.state, taken.front.last.device
        reads = [going.sentences[place // going.width] for place in asked.places]
        same, self._reads = reads == self._reads, reads
        if not asked.left:
            return state.reorder(column("q", asked.from_rows, device), same_source=same)
        branches = self._ways.state(taken.front.beam.length + 1, asked.sentences)
        parts = [(branches, column("q", range(len(asked.left)), device))]
        if asked.grown:
            parts.insert(0, (state, column("q", asked.from_rows, device)))
        return (state if same else self._ways.reading(reads)).joined(parts)

    def _beam(self, going: Survivors, on_way: Sequence[int], asked: _Asked) -> Beam:
        """All rows; those on a way are as good as empty to whoever expands what the network was asked."""
        grown, width = going.grown, going.width
        device, size = grown.last.device, len(grown.last)
        self._answers = [0] * size
        for row, place in enumerate(asked.places):
            self._answers[place] = row
        known = [at * width + row for at, row in enumerate(on_way) if row != EMPTY]
        order = grown.beam.order
        if known:
            order = order.flatten().index_fill(0, column("q", known, device), NEVER).view_as(order)
        return replace(
            grown.beam,
            order=order,
            answered_by=column("q", self._answers, device).view(-1, width),
        )

"""Notes the steps of a search over one sentence while they happen, and makes its trace of them at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from models.decoding.beam import EMPTY, NEVER, Cause, Finished, ranked_top_k
from models.decoding.notes import DECIMALS, Note, written
from models.decoding.search import Imposition, SearchStep
from models.decoding.settling import settled
from models.decoding.strategies.base import ROW_TOP, DecodingStrategy
from models.decoding.trace import DecodingStep, Exploration, Hypothesis, Reason, Status, Stop

TOP_K = ROW_TOP
OTHERS = 3  # dropped candidates that a depth-first step records; it may weigh the whole vocabulary
REASONS = {
    Cause.THRESHOLD: Reason.THRESHOLD,
    Cause.GROUP_PENALTY: Reason.GROUP_PENALTY,
    Cause.BOUND: Reason.BOUND,
}
IMPOSED = {Imposition.OPENING: Reason.OPENING, Imposition.FORCED: Reason.FORCED}

Candidate = tuple[int, int]  # serial number of a step, place among its candidates
Watch = Callable[[SearchStep], Stop | None]  # looks at each step; a reason to stop ends the search


@dataclass(frozen=True)
class Recording:
    """What a search leaves behind."""

    steps: tuple[DecodingStep, ...]
    hypotheses: tuple[Hypothesis, ...]
    exploration: Exploration


class Recorder:
    """Collects steps and hypotheses; `spell` names a token, `read` makes a text of ids."""

    def __init__(
        self,
        spell: Callable[[int], str],
        read: Callable[[tuple[int, ...]], str],
        strategy: DecodingStrategy,
    ) -> None:
        self._spell, self._read, self._strategy = spell, read, strategy
        self._ids: dict[Candidate, int] = {}
        self._notes: list[Note] = []
        self._expanded: set[int | None] = set()  # nodes that the model was asked about
        self._seen = 0

    def record(self, steps: Iterable[SearchStep], watch: Watch = lambda step: None) -> Recording:
        """Run the search to its end, or until `watch` has a reason to stop. The batch holds one sentence."""
        pool: list[Finished] = []
        stop, expanded = Stop.COMPLETE, 0
        for step in steps:
            self._notes.append(self._note(step))
            pool, expanded = step.pools[0].finished, step.expanded
            if step.exhausted:
                stop = Stop.BUDGET
            elif (reason := watch(step)) is not None:
                stop = reason
                break
        hypotheses = tuple(self._hypothesis(sequence) for sequence in pool)
        steps_taken = written(self._notes, self._spell, self._strategy)
        recorded = settled(steps_taken, hypotheses, self._expanded, stop, self._strategy)
        count = sum(len(step.nodes) for step in recorded)
        exploration = Exploration(expanded, count, self._seen, stop, self._strategy.budget)
        return Recording(recorded, hypotheses, exploration)

    def _note(self, step: SearchStep) -> Note:
        log_probs, row_nodes = step.log_probs[0], self._row_nodes(step)
        known = step.candidates.row_top if step.plain else None
        top, top_ids = ranked_top_k(log_probs, TOP_K) if known is None else (x[0, :, :TOP_K] for x in known)
        places, verdicts = self._judged(step)
        parents, own = _recorded(step, places)
        first_id = len(self._ids)
        for number, place in enumerate(places):
            self._ids[step.serial, place] = first_id + number
        return Note(
            index=step.index,
            fate=step.fates[0],
            row_nodes=row_nodes,
            places=places,
            first_id=first_id,
            verdicts=verdicts,
            top=top,
            top_ids=top_ids,
            # 0 x log 0 counts as 0: a finite floor under the impossible tokens makes it so. Their softmax is
            # their exponential, at half the price.
            entropy=-torch.linalg.vecdot(log_probs.softmax(dim=-1), log_probs.clamp_min(-1e4)),
            attention=None if step.attention is None else step.attention[0],
            own=own,
            token_ranks=_token_ranks(log_probs, top, parents, own),
        )

    def _row_nodes(self, step: SearchStep) -> list[int | None]:
        """The nodes that the live rows end in; at first every row is the empty prefix."""
        beam = step.beam
        if not beam.ranks:
            return [None] * beam.order.shape[1]
        nodes = [EMPTY if rank == EMPTY else self._ids[beam.origin, rank] for rank in beam.ranks[0]]
        self._expanded.update(nodes)
        return list(nodes)

    def _judged(self, step: SearchStep) -> tuple[list[int], list[tuple[Status, Reason]]]:
        """The candidates to record, and what became of each; places that none fills are left out."""
        fate, depth_first = step.fates[0], self._strategy.depth_first
        finished, going, stopped = set(fate.finished), set(fate.survivors), set(fate.stopped)
        # Of a depth-first search: of all that end, those that are held for now.
        held = {sequence.rank for sequence in step.pools[0].finished if sequence.serial == step.serial}
        noted = going | (held if depth_first else finished)
        others = OTHERS if depth_first else len(fate.tokens)
        places, verdicts = [], []
        for place, order in enumerate(fate.order):
            if order == NEVER:
                continue
            self._seen += 1
            if place in noted or (others := others - 1) >= 0:
                places.append(place)
                verdicts.append(self._verdict(step, place, finished, going, stopped))
        return places, verdicts

    def _verdict(
        self, step: SearchStep, place: int, finished: set[int], going: set[int], stopped: set[int]
    ) -> tuple[Status, Reason]:
        fate, competes = step.fates[0], self._strategy.competes
        ends = fate.tokens[place] == step.eos_id
        if place in finished:
            if step.imposed is not None and step.imposed.by is Imposition.CLOSING:
                return Status.FINISHED, Reason.CLOSING
            return Status.FINISHED, Reason.END_TOKEN if ends else Reason.MAX_LENGTH
        if place in going:
            chosen = Reason.WITHIN_BEAM if competes else Reason.CHOSEN
            return Status.KEPT, chosen if step.imposed is None else IMPOSED[step.imposed.by]
        if place in stopped:
            return Status.PRUNED, Reason.EARLY_STOP if competes else Reason.RANKED_BELOW
        if fate.causes is not None and fate.causes[place] in REASONS:
            return Status.PRUNED, REASONS[fate.causes[place]]
        if self._strategy.bounded:
            return Status.PRUNED, Reason.BOUND
        return Status.PRUNED, Reason.END_OUTSIDE_BEAM if ends else Reason.RANKED_BELOW

    def _hypothesis(self, sequence: Finished) -> Hypothesis:
        return Hypothesis(
            node=self._ids[sequence.serial, sequence.rank],
            token_ids=sequence.tokens,
            text=self._read(sequence.tokens),
            log_prob=round(sequence.log_prob, DECIMALS),
            score=round(sequence.score, DECIMALS),
            ended=sequence.ended,
            order=None if sequence.order == sequence.log_prob else round(sequence.order, DECIMALS),
            group=sequence.group,
        )


def _recorded(step: SearchStep, places: list[int]) -> tuple[Tensor, Tensor]:
    """(P,) each: parent rows of the recorded candidates, and log-probabilities of their last tokens."""
    found, vocab_size = step.candidates, step.log_probs.shape[2]
    parents, tokens = found.parents[0], found.tokens[0]
    if len(places) < len(parents):
        chosen = torch.tensor(places, dtype=torch.int64, device=parents.device)
        parents, tokens = parents[chosen], tokens[chosen]
    return parents, step.log_probs[0].flatten().gather(0, parents * vocab_size + tokens)


def _token_ranks(log_probs: Tensor, top: Tensor, parents: Tensor, own: Tensor) -> Tensor:
    """(P,): how many tokens of its row beat each candidate.

    log_probs (K, V), top (K, TOP_K) their highest, parents and own (P,).
    """
    better = (top[parents] > own.unsqueeze(1)).sum(dim=1)
    # Beaten by all of the top: only then the rest of the row must be read.
    far = (better == top.shape[1]).nonzero().squeeze(1)
    if len(far):
        better[far] = (log_probs[parents[far]] > own[far].unsqueeze(1)).sum(dim=1)
    return better

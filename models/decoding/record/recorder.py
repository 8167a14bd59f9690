"""Records the steps of a search over one sentence while they happen, and makes a trace of them at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from models.decoding.record.final_status import with_final_status
from models.decoding.record.observed import DECIMALS, TOP_K, LastTokens, ObservedStep, recorded_steps
from models.decoding.record.status import Reason, Status, Stop
from models.decoding.search.beam import EMPTY, NEVER, Finished, ranked_top_k
from models.decoding.search.step import SearchStep
from models.decoding.strategies.base import DecodingStrategy
from models.decoding.trace import DecodingStep, Exploration, Hypothesis

OTHERS = 3  # dropped candidates that a depth-first step records; it may weigh the whole vocabulary
Candidate = tuple[int, int]  # serial number of a step, place among its candidates
Watch = Callable[[SearchStep], Stop | None]  # looks at each step; a reason to stop ends the search


@runtime_checkable
class Resting(Protocol):
    """A watch that lets others go on for a while, also where no step is taken."""

    def rest(self) -> None:
        """Go on at once, or later."""


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
        self._observed: list[ObservedStep] = []
        self._expanded: set[int | None] = set()  # nodes that the model was asked about
        self._seen = 0

    def record(self, steps: Iterable[SearchStep], watch: Watch = lambda step: None) -> Recording:
        """Run the search to its end, or until `watch` has a reason to stop. The batch holds one sentence."""
        pool: list[Finished] = []
        stop, expanded = Stop.COMPLETE, 0
        for step in steps:
            self._observed.append(self._observe(step))
            pool, expanded = step.pools[0].finished, step.expanded
            if step.exhausted:
                stop = Stop.BUDGET
            elif (reason := watch(step)) is not None:
                stop = reason
                break
        hypotheses = tuple(self._hypothesis(sequence) for sequence in pool)
        steps_taken = recorded_steps(self._observed, self._spell, self._strategy)
        recorded = with_final_status(steps_taken, hypotheses, self._expanded, stop, self._strategy)
        count = sum(len(step.nodes) for step in recorded)
        exploration = Exploration(expanded, count, self._seen, stop, self._strategy.budget)
        return Recording(recorded, hypotheses, exploration)

    def _observe(self, step: SearchStep) -> ObservedStep:
        log_probs, row_nodes = step.log_probs[0], self._row_nodes(step)
        known = step.candidates.row_top if step.plain else None
        top, top_ids = ranked_top_k(log_probs, TOP_K) if known is None else (x[0] for x in known)
        places, statuses = self._candidates(step)
        first_id = len(self._ids)
        for number, place in enumerate(places):
            self._ids[step.serial, place] = first_id + number
        return ObservedStep(
            index=step.index,
            outcome=step.outcomes[0],
            row_nodes=row_nodes,
            places=places,
            first_id=first_id,
            statuses=statuses,
            top=top,
            top_ids=top_ids,
            # A finite floor under the log-probabilities makes 0 x log 0 = 0. The softmax of log-probabilities
            # is their exponential, and takes half the time.
            entropy=-torch.linalg.vecdot(log_probs.softmax(dim=-1), log_probs.clamp_min(-1e4)),
            attention=None if step.attention is None else step.attention[0],
            last=_last_tokens(step, places, top) if known is None else None,
        )

    def _row_nodes(self, step: SearchStep) -> list[int | None]:
        """The nodes that the live rows end in; at first every row is the empty prefix."""
        beam = step.beam
        if not beam.ranks:
            return [None] * beam.order.shape[1]
        nodes = [EMPTY if rank == EMPTY else self._ids[beam.origin, rank] for rank in beam.ranks[0]]
        self._expanded.update(nodes)
        return list(nodes)

    def _candidates(self, step: SearchStep) -> tuple[list[int], list[tuple[Status, Reason]]]:
        """The candidates to record, and what became of each; places that none fills are left out."""
        outcome, depth_first = step.outcomes[0], self._strategy.depth_first
        finished, going, stopped = set(outcome.finished), set(outcome.survivors), set(outcome.stopped)
        # Of a depth-first search: of all that end, those that are held for now.
        held = {sequence.rank for sequence in step.pools[0].finished if sequence.serial == step.serial}
        listed = going | (held if depth_first else finished)
        others = OTHERS if depth_first else len(outcome.tokens)
        places, statuses = [], []
        for place, order in enumerate(outcome.order):
            if order == NEVER:
                continue
            self._seen += 1
            if place in listed or (others := others - 1) >= 0:
                places.append(place)
                statuses.append(self._status(step, place, finished, going, stopped))
        return places, statuses

    def _status(
        self, step: SearchStep, place: int, finished: set[int], going: set[int], stopped: set[int]
    ) -> tuple[Status, Reason]:
        outcome, competes = step.outcomes[0], self._strategy.competes
        ends = outcome.tokens[place] == step.eos_id
        if place in finished:
            if step.forced is not None and step.forced.reason is Reason.CLOSING:
                return Status.FINISHED, Reason.CLOSING
            return Status.FINISHED, Reason.END_TOKEN if ends else Reason.MAX_LENGTH
        if place in going:
            chosen = Reason.WITHIN_BEAM if competes else Reason.CHOSEN
            return Status.KEPT, chosen if step.forced is None else step.forced.reason
        if place in stopped:
            return Status.PRUNED, Reason.EARLY_STOP if competes else Reason.RANKED_BELOW
        reason = None if outcome.reasons is None else outcome.reasons[place]
        if reason is not None:
            return Status.PRUNED, reason
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


def _last_tokens(step: SearchStep, places: list[int], top: Tensor) -> LastTokens:
    """Of the recorded candidates; top (K, N): the highest of the rows."""
    found = step.candidates
    parents, tokens = found.parents[0], found.tokens[0]
    if len(places) < len(parents):
        chosen = torch.tensor(places, dtype=torch.int64, device=parents.device)
        parents, tokens = parents[chosen], tokens[chosen]
    return LastTokens.of(step.log_probs[0], top, parents, tokens)

"""Records the steps of a search over one sentence while they happen, and makes a trace of them at its end."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf

import torch
from torch import Tensor

from models.decoding.record.final_status import with_final_status
from models.decoding.record.observed import DECIMALS, TOP_K, LastTokens, ObservedStep, recorded_steps
from models.decoding.record.retained import Observations
from models.decoding.search.beam import EMPTY, NEVER, Finished, Pool, ranked_top_k
from models.decoding.search.step import SearchStep
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.status import Reason, Status, Stop
from models.decoding.trace import DecodingStep, Exploration, Hypothesis

OTHERS = 3  # dropped candidates that a depth-first step records; it may weigh the whole vocabulary
BY_WORDS = (Reason.FOR_WORDS, Reason.HELD_BACK)
Numbered = tuple[int, Sequence[int]]  # the first of a step's nodes, and the places of all, ascending
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
        self._observed = Observations()
        self._numbered: dict[int, Numbered] = {}  # by the serial number of a step
        self._next_id = 0
        self._seen = 0

    def record(self, steps: Iterable[SearchStep], watch: Watch = lambda step: None) -> Recording:
        """Run the search to its end, or until `watch` has a reason to stop. The batch holds one sentence."""
        pool: list[Finished] = []
        stop, expanded = Stop.COMPLETE, 0
        for step in steps:
            self._observed.add(self._observe(step))
            pool, expanded = step.pools[0].finished, step.expanded
            if self._strategy.depth_first and self._observed.many:
                self._forget(step.pools[0])
            if step.exhausted:
                stop = Stop.BUDGET
            elif (reason := watch(step)) is not None:
                stop = reason
                break
        hypotheses = tuple(self._hypothesis(sequence) for sequence in pool)
        if self._strategy.depth_first:
            self._observed.keep((hypothesis.node for hypothesis in hypotheses), above=inf)
        steps_taken = recorded_steps(self._observed.steps, self._spell, self._strategy)
        recorded = with_final_status(steps_taken, hypotheses, self._observed.expanded, stop, self._strategy)
        count = sum(len(step.nodes) for step in recorded)
        exploration = Exploration(expanded, count, self._seen, stop, self._strategy.budget)
        return Recording(recorded, hypotheses, exploration)

    def _forget(self, pool: Pool) -> None:
        """Drop what the trace cannot need, whatever the rest of the search finds."""
        bound = pool.groups[0].worst if self._strategy.bounded else NEVER
        self._observed.keep((self._node(held.serial, held.rank) for held in pool.finished), bound)
        self._numbered = {step.serial: self._numbered[step.serial] for step in self._observed.steps}

    def _node(self, serial: int, rank: int) -> int:
        """The node of a recorded candidate."""
        first, places = self._numbered[serial]
        return first + bisect_left(places, rank)

    def _observe(self, step: SearchStep) -> ObservedStep:
        log_probs, row_nodes = step.log_probs[0], self._row_nodes(step)
        known = step.candidates.row_top if step.plain else None
        top, top_ids = ranked_top_k(log_probs, TOP_K) if known is None else (x[0] for x in known)
        in_top = known is not None and not self._strategy.depth_first
        if not in_top:  # depth first, what is known may be the whole vocabulary
            top, top_ids = top[:, :TOP_K], top_ids[:, :TOP_K]
        places, statuses = self._candidates(step)
        ids = range(self._next_id, self._next_id + len(places))
        self._next_id = ids.stop
        self._numbered[step.serial] = ids.start, places
        return ObservedStep(
            serial=step.serial,
            index=step.index,
            outcome=step.outcomes[0],
            row_nodes=row_nodes,
            rows=range(len(row_nodes)),
            places=places,
            ranks=places,
            per_group=max(len(step.outcomes[0].tokens) // self._strategy.groups, 1),
            ids=ids,
            statuses=statuses,
            top=top,
            top_ids=top_ids,
            # A finite floor under the log-probabilities makes 0 x log 0 = 0. The softmax of log-probabilities
            # is their exponential, and takes half the time.
            entropy=-torch.linalg.vecdot(log_probs.softmax(dim=-1), log_probs.clamp_min(-1e4)),
            attention=None if step.attention is None else step.attention[0],
            last=None if in_top else _last_tokens(step, places, top),
        )

    def _row_nodes(self, step: SearchStep) -> list[int | None]:
        """The nodes that the live rows end in; at first every row is the empty prefix."""
        beam = step.beam
        if not beam.ranks:
            return [None] * beam.order.shape[1]
        return [EMPTY if rank == EMPTY else self._node(beam.origin, rank) for rank in beam.ranks[0]]

    def _candidates(self, step: SearchStep) -> tuple[Sequence[int], list[tuple[Status, Reason]]]:
        """The candidates to record, and what became of each; places that none fills are left out."""
        outcome, depth_first = step.outcomes[0], self._strategy.depth_first
        finished, going, stopped = set(outcome.finished), set(outcome.survivors), set(outcome.stopped)
        # Of a depth-first search: of all that end, those that are held for now.
        held = {sequence.rank for sequence in step.pools[0].finished if sequence.serial == step.serial}
        listed = going | (held if depth_first else finished)
        others = OTHERS if depth_first else len(outcome.tokens)
        by_words: set[int] = set()
        if step.candidates.banks is not None:  # each row adds candidates, of which few are worth telling
            by_words = {index for index, why in enumerate(outcome.reasons or ()) if why in BY_WORDS}
            listed |= by_words
            others = min(others, self._strategy.width)
        places, statuses = [], []
        kept = self._kept(step)
        for place, order in enumerate(outcome.order):
            if order == NEVER:
                continue
            self._seen += 1
            if place in listed or (others := others - 1) >= 0:
                places.append(place)
                if place in going:
                    statuses.append((Status.KEPT, Reason.FOR_WORDS) if place in by_words else kept)
                else:
                    statuses.append(self._status(step, place, finished, stopped))
        return (array("q", places) if depth_first else places), statuses

    def _kept(self, step: SearchStep) -> tuple[Status, Reason]:
        """What became of all that goes on."""
        if step.forced is not None:
            return Status.KEPT, step.forced.reason
        return Status.KEPT, Reason.WITHIN_BEAM if self._strategy.competes else Reason.CHOSEN

    def _status(
        self, step: SearchStep, place: int, finished: set[int], stopped: set[int]
    ) -> tuple[Status, Reason]:
        outcome, competes = step.outcomes[0], self._strategy.competes
        ends = outcome.tokens[place] == step.eos_id
        if place in finished:
            if step.forced is not None and step.forced.reason is Reason.CLOSING:
                return Status.FINISHED, Reason.CLOSING
            return Status.FINISHED, Reason.END_TOKEN if ends else Reason.MAX_LENGTH
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
            node=self._node(sequence.serial, sequence.rank),
            token_ids=sequence.tokens,
            text=self._read(sequence.tokens),
            log_prob=round(sequence.log_prob, DECIMALS),
            score=round(sequence.score, DECIMALS),
            ended=sequence.ended,
            order=None if sequence.order == sequence.log_prob else round(sequence.order, DECIMALS),
            group=sequence.group,
        )


def _last_tokens(step: SearchStep, places: Sequence[int], top: Tensor) -> LastTokens:
    """Of the recorded candidates; top (K, N): the highest of the rows."""
    result = step.candidates
    parents, tokens = result.parents[0], result.tokens[0]
    if len(places) < len(parents):
        chosen = torch.tensor(places, dtype=torch.int64, device=parents.device)
        parents, tokens = parents[chosen], tokens[chosen]
    return LastTokens.of(step.log_probs[0], top, parents, tokens)

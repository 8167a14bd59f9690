"""The recorder of a search over one sentence, which makes a trace of its steps at the end."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf

import torch

from models.decoding.record.adjusted import DECIMALS, AdjustedNumbers
from models.decoding.record.observed import TOP_K, LastTokens, ObservedStep, trace_steps
from models.decoding.record.retained import Observations
from models.decoding.search.beam import NEG_INF, PADDING, FinishedSequence, Pool, ranked_top_k
from models.decoding.search.step import SearchStep
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.status import Reason, Status, Stop
from models.decoding.trace import BeamNode, DecodedRow, DecodingStep, Exploration, Hypothesis

MAX_DROPPED = 3  # dropped candidates that a depth-first step records; it may rank the whole vocabulary
WORD_REASONS = (Reason.FOR_WORDS, Reason.HELD_BACK)
StepNodes = tuple[int, Sequence[int]]  # the id of a step's first node, and the ranks of all, ascending
OnStep = Callable[[SearchStep], Stop | None]  # called with each step; a reason to stop ends the search


@dataclass(frozen=True)
class Recording:
    """The result of a search."""

    steps: tuple[DecodingStep, ...]
    hypotheses: tuple[Hypothesis, ...]
    exploration: Exploration


class Recorder:
    """Records the steps and hypotheses of a search.

    `surface_of` returns the spelling of a token id, `text_of` the text of several ids.
    """

    def __init__(
        self,
        surface_of: Callable[[int], str],
        text_of: Callable[[tuple[int, ...]], str],
        strategy: DecodingStrategy,
    ) -> None:
        self._surface_of, self._text_of, self._strategy = surface_of, text_of, strategy
        self._observed = Observations()
        self._step_nodes: dict[int, StepNodes] = {}  # keys: numbers of steps
        self._next_id = 0
        self._num_candidates = 0

    def record(self, steps: Iterable[SearchStep], on_step: OnStep = lambda step: None) -> Recording:
        """Run the search of one sentence to its end, or until `on_step` returns a reason to stop.

        steps: the search itself, which runs as its steps are taken.
        """
        sequences: list[FinishedSequence] = []
        stop, expanded = Stop.COMPLETE, 0
        for step in steps:
            self._observed.add(self._observe(step))
            sequences, expanded = step.pools[0].sequences, step.expanded
            if self._strategy.depth_first and self._observed.is_large:
                self._drop_unneeded(step.pools[0])
            if step.gave_up:
                stop = Stop.BUDGET
            elif (reason := on_step(step)) is not None:
                stop = reason
                break
        hypotheses = tuple(self._hypothesis(sequence) for sequence in sequences)
        if self._strategy.depth_first:
            self._observed.drop_unneeded((hypothesis.node for hypothesis in hypotheses), bound=inf)
        converted = trace_steps(self._observed.steps, self._surface_of, self._strategy)
        final = with_final_status(converted, hypotheses, self._observed.expanded, stop, self._strategy)
        count = sum(len(step.nodes) for step in final)
        exploration = Exploration(expanded, count, self._num_candidates, stop, self._strategy.budget)
        return Recording(final, hypotheses, exploration)

    def _drop_unneeded(self, pool: Pool) -> None:
        """Drop the nodes that no trace of this search can need, whatever the search finds later."""
        bound = pool.groups[0].worst if self._strategy.bounded else NEG_INF
        self._observed.drop_unneeded(
            (self._node(sequence.step_number, sequence.rank) for sequence in pool.sequences), bound
        )
        self._step_nodes = {step.number: self._step_nodes[step.number] for step in self._observed.steps}

    def _node(self, step_number: int, rank: int) -> int:
        """The id of the node of a recorded candidate."""
        first, ranks = self._step_nodes[step_number]
        return first + bisect_left(ranks, rank)

    def _observe(self, step: SearchStep) -> ObservedStep:
        log_probs, row_nodes = step.log_probs[0], self._row_nodes(step)
        row_top = step.candidates.row_top if step.row_top_unchanged else None
        top, top_ids = ranked_top_k(log_probs, TOP_K) if row_top is None else (part[0] for part in row_top)
        if self._strategy.depth_first:  # its top may be the whole vocabulary
            top, top_ids = top[:, :TOP_K], top_ids[:, :TOP_K]
        ranks, statuses = self._candidates(step)
        parents, tokens = step.candidates.parents[0], step.candidates.tokens[0]
        if len(ranks) < len(parents):
            columns = torch.tensor(ranks, dtype=torch.int64, device=parents.device)
            parents, tokens = parents[columns], tokens[columns]
        ids = range(self._next_id, self._next_id + len(ranks))
        self._next_id = ids.stop
        self._step_nodes[step.number] = ids.start, ranks
        return ObservedStep(
            number=step.number,
            length=step.length,
            outcome=step.outcomes[0],
            row_nodes=row_nodes,
            rows=range(len(row_nodes)),
            columns=ranks,
            ranks=ranks,
            per_group=max(len(step.outcomes[0].tokens) // self._strategy.num_groups, 1),
            ids=ids,
            statuses=statuses,
            top=top,
            top_ids=top_ids,
            # A finite floor under the log-probabilities makes 0 x log 0 = 0. The softmax of log-probabilities
            # is their exponential, in half the time.
            entropy=-torch.linalg.vecdot(log_probs.softmax(dim=-1), log_probs.clamp_min(-1e4)),
            attention=None if step.attention is None else step.attention[0],
            last=LastTokens.of(log_probs, top, parents, tokens),
            adjusted=AdjustedNumbers.of(step, self._strategy, top_ids[:, :TOP_K], parents, tokens),
        )

    def _row_nodes(self, step: SearchStep) -> list[int | None]:
        """The id of the node that each live row ends in; None for the empty prefix, PADDING for padding."""
        beam = step.beam
        if not beam.ranks:
            return [None] * beam.rank_scores.shape[1]
        return [PADDING if rank == PADDING else self._node(beam.origin, rank) for rank in beam.ranks[0]]

    def _candidates(self, step: SearchStep) -> tuple[Sequence[int], list[tuple[Status, Reason]]]:
        """Return the ranks of the candidates to record, ascending, and the status of each."""
        outcome, depth_first = step.outcomes[0], self._strategy.depth_first
        survivors, finished, stopped = set(outcome.survivors), set(outcome.finished), set(outcome.stopped)
        # A depth-first search finishes many sequences; only those that are in its pool now are recorded.
        pooled = {
            sequence.rank for sequence in step.pools[0].sequences if sequence.step_number == step.number
        }
        required = survivors | (pooled if depth_first else finished)
        max_dropped = MAX_DROPPED if depth_first else len(outcome.tokens)
        for_words: set[int] = set()
        if step.candidates.banks is not None:  # required words add many candidates that do not matter
            for_words = {rank for rank, reason in enumerate(outcome.reasons or ()) if reason in WORD_REASONS}
            required |= for_words
            max_dropped = min(max_dropped, self._strategy.width)
        possible = [rank for rank, score in enumerate(outcome.rank_scores) if score != NEG_INF]
        self._num_candidates += len(possible)
        dropped = set(islice((rank for rank in possible if rank not in required), max_dropped))
        ranks = [rank for rank in possible if rank in required or rank in dropped]
        survivor_reason = Reason.WITHIN_BEAM if self._strategy.rows_compete else Reason.CHOSEN
        if step.forced is not None:
            survivor_reason = step.forced.reason
        statuses = []
        for rank in ranks:
            if rank not in survivors:
                statuses.append(self._status(step, rank, finished, stopped))
            else:
                statuses.append((Status.KEPT, Reason.FOR_WORDS if rank in for_words else survivor_reason))
        return (array("q", ranks) if depth_first else ranks), statuses

    def _status(
        self, step: SearchStep, rank: int, finished: set[int], stopped: set[int]
    ) -> tuple[Status, Reason]:
        """The status of a candidate that does not go on."""
        outcome, competes = step.outcomes[0], self._strategy.rows_compete
        ends = outcome.tokens[rank] == step.beam.eos_id
        if rank in finished:
            if step.forced is not None and step.forced.reason is Reason.CLOSING:
                return Status.FINISHED, Reason.CLOSING
            return Status.FINISHED, Reason.END_TOKEN if ends else Reason.MAX_LENGTH
        if rank in stopped:
            return Status.PRUNED, Reason.EARLY_STOP if competes else Reason.RANKED_BELOW
        reason = None if outcome.reasons is None else outcome.reasons[rank]
        if reason is not None:
            return Status.PRUNED, reason
        if self._strategy.bounded:
            return Status.PRUNED, Reason.BOUND
        return Status.PRUNED, Reason.END_OUTSIDE_BEAM if ends else Reason.RANKED_BELOW

    def _hypothesis(self, sequence: FinishedSequence) -> Hypothesis:
        return Hypothesis(
            node=self._node(sequence.step_number, sequence.rank),
            token_ids=sequence.tokens,
            text=self._text_of(sequence.tokens),
            log_prob=round(sequence.log_prob, DECIMALS),
            score=round(sequence.score, DECIMALS),
            ended=sequence.ended,
            rank_score=None
            if sequence.rank_score == sequence.log_prob
            else round(sequence.rank_score, DECIMALS),
            group=sequence.group,
        )


def with_final_status(
    steps: Sequence[DecodingStep],
    hypotheses: Sequence[Hypothesis],
    expanded: set[int | None],
    stop: Stop,
    strategy: DecodingStrategy,
) -> tuple[DecodingStep, ...]:
    """Return the steps with final statuses, one step per length.

    expanded: ids of the expanded nodes. stop: why the search ended.
    """
    winners = {hypothesis.node for hypothesis in hypotheses}
    rank_scores = (
        hypothesis.log_prob if hypothesis.rank_score is None else hypothesis.rank_score
        for hypothesis in hypotheses
    )
    worst = min(rank_scores, default=float("-inf"))

    def final(node: BeamNode) -> BeamNode:
        if node.status is Status.FINISHED and node.id not in winners:
            return node._replace(reason=Reason.DISPLACED)
        if node.status is Status.KEPT and node.id not in expanded:
            return node._replace(status=Status.PRUNED, reason=reason_to_abandon(node))
        return node

    def reason_to_abandon(node: BeamNode) -> Reason:
        if not strategy.depth_first:
            return Reason.EARLY_STOP
        cannot_win = (
            strategy.bounded and (node.cumulative if node.rank_score is None else node.rank_score) <= worst
        )
        return Reason.BOUND if cannot_win or stop is Stop.COMPLETE else Reason.BUDGET

    final_steps = [DecodingStep(step.index, step.rows, tuple(map(final, step.nodes))) for step in steps]
    return _merge_steps(final_steps) if strategy.depth_first else tuple(final_steps)


def _merge_steps(steps: Sequence[DecodingStep]) -> tuple[DecodingStep, ...]:
    """Merge the steps of each length, which a depth-first search visits many times."""
    rows: dict[int, dict[int | None, DecodedRow]] = {}
    nodes: dict[int, list[BeamNode]] = {}
    for step in steps:
        rows.setdefault(step.index, {}).update({row.node: row for row in step.rows})
        nodes.setdefault(step.index, []).extend(step.nodes)
    for unsorted in nodes.values():
        unsorted.sort(key=lambda node: (-node.cumulative, node.id))
    indices = (index for index in sorted(rows) if nodes[index])
    return tuple(DecodingStep(index, tuple(rows[index].values()), tuple(nodes[index])) for index in indices)

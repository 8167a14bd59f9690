"""What a step does: which of its candidates go on, which are finished, and which groups are done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from models.decoding.record.status import REASONS, Reason
from models.decoding.search.beam import (
    EMPTY,
    Beam,
    BeamHypotheses,
    Candidates,
    Finished,
    Pool,
    Ranking,
    Selection,
)
from models.decoding.search.conditions import Constraints
from models.decoding.search.step import StepOutcome
from models.decoding.strategies.base import DecodingStrategy


@dataclass(frozen=True)
class OutcomeRule:
    """Decides over the candidates of one step, as its strategy selects.

    In plain Python: a handful of candidates is quicker to walk through than to launch kernels for.
    """

    strategy: DecodingStrategy
    eos_id: int
    length: int  # tokens of a candidate
    constraints: Constraints

    def decide(
        self, found: Candidates, own: Tensor, beam: Beam, pools: Sequence[Pool], serial: int
    ) -> tuple[StepOutcome, ...]:
        """The outcomes of A sentences, whose finished sequences enter their pools.

        own (A, C): the model's cumulative log-probabilities. serial: the number of the step.
        """
        orders, *columns = [column.tolist() for column in (found.order, found.parents, found.tokens)]
        totals = orders if own is found.order else own.tolist()
        codes = found.reasons.tolist() if found.reasons is not None else [None] * len(pools)
        outcomes = []
        for position, pool in enumerate(pools):
            order, cumulative = orders[position], totals[position]
            parents, tokens = (column[position] for column in columns)
            dropped = codes[position]
            reasons = None if dropped is None else [REASONS[code] for code in dropped]
            selection = self._selection(order, tokens, reasons, pool)
            survivors, finished = selection.survivors, selection.finished
            outcome = StepOutcome(order, cumulative, parents, tokens, reasons, survivors, finished, [])
            for rank in finished:
                sequence = self._sequence(beam, position, outcome, rank, serial)
                pool.groups[sequence.group].add(sequence)
            depth_first = self.strategy.depth_first
            outcomes.append(outcome.packed() if depth_first else self._without_done_groups(outcome, pool))
        return tuple(outcomes)

    def _selection(
        self, order: list[float], tokens: list[int], reasons: list[Reason | None] | None, pool: Pool
    ) -> Selection:
        """What the strategy selects of every group, by rank among all candidates."""
        last = self.length == self.constraints.max_length
        ends = [True] * len(tokens) if last else [token == self.eos_id for token in tokens]
        size = len(tokens) // len(pool.groups)
        survivors: list[int] = []
        finished: list[int] = []
        for group, hypotheses in enumerate(pool.groups):
            mine = slice(group * size, (group + 1) * size)
            ranking = Ranking(order[mine], ends[mine], None if reasons is None else reasons[mine])
            selection = self.strategy.select(ranking, hypotheses)
            survivors += self._padded(selection, group * size)
            finished += [group * size + rank for rank in selection.finished]
        return Selection(survivors, finished)

    def _padded(self, selection: Selection, first: int) -> list[int]:
        """Survivors of a group by their rank among all, filled up so that every group has its rows."""
        places = [first + rank for rank in selection.survivors]
        width = 0 if self.strategy.depth_first else self.strategy.width // self.strategy.groups
        return places + [EMPTY] * (width - len(places))

    def _sequence(self, beam: Beam, position: int, outcome: StepOutcome, rank: int, serial: int) -> Finished:
        history = beam.tokens[position, outcome.parents[rank]].tolist()
        own, order = outcome.cumulative[rank], outcome.order[rank]
        return Finished(
            tokens=(*history, outcome.tokens[rank]),
            log_prob=own,
            order=order,
            score=self.strategy.normalizer(own, self.length),
            key=self.strategy.normalizer(self.strategy.basis(own, order), self.length),
            ended=outcome.tokens[rank] == self.eos_id,
            serial=serial,
            rank=rank,
            group=rank // (len(outcome.tokens) // self.strategy.groups),
        )

    def _without_done_groups(self, outcome: StepOutcome, pool: Pool) -> StepOutcome:
        """The outcome in which the survivors of a group stop if none of them can enter its hypotheses."""
        if not outcome.survivors or not any(hypotheses.finished for hypotheses in pool.groups):
            return outcome
        width = len(outcome.survivors) // len(pool.groups)
        survivors: list[int] = []
        stopped: list[int] = []
        for group, hypotheses in enumerate(pool.groups):
            places = outcome.survivors[group * width : (group + 1) * width]
            mine = [rank for rank in places if rank != EMPTY]
            if mine and self._is_done(outcome, mine, hypotheses):
                stopped += mine
                mine = []
            survivors += mine + [EMPTY] * (width - len(mine))
        return replace(outcome, survivors=survivors, stopped=stopped) if stopped else outcome

    def _is_done(self, outcome: StepOutcome, ranks: Sequence[int], hypotheses: BeamHypotheses) -> bool:
        """True if none of these, which would go on in a group, can change what is asked for."""
        only_best = self.constraints.only_best
        # While a group has room, whatever goes on may enter it.
        if not hypotheses.finished or not (hypotheses.full or only_best):
            return False
        strategy, max_length = self.strategy, self.constraints.max_length
        best = max(strategy.basis(outcome.cumulative[rank], outcome.order[rank]) for rank in ranks)
        if hypotheses.full and strategy.is_done(best, self.length, hypotheses, max_length):
            return True
        return only_best and strategy.reachable(best, self.length, max_length) <= hypotheses.finished[0].key

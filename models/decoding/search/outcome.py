"""What a step does: which of its candidates go on, which are finished, and which groups are done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

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
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.search.words import NO_TURN, in_turn
from models.decoding.status import EXCLUDES, REASONS, Reason


@dataclass(frozen=True)
class OutcomeRule:
    """Decides over the candidates of one step, as its strategy selects.

    In plain Python: a handful of candidates is quicker to walk through than to launch kernels for.
    """

    strategy: DecodingStrategy
    eos_id: int
    length: int  # tokens of a candidate
    constraints: Constraints
    closing: bool = False  # the end token is given to whatever has none, at the limit of length

    def decide(
        self,
        found: Candidates,
        own: Tensor,
        beam: Beam,
        sentences: Sequence[int],
        pools: Sequence[Pool],
        serial: int,
    ) -> tuple[StepOutcome, ...]:
        """The outcomes of A sentences, whose finished sequences enter their pools (one for each of all).

        own (A, C): the model's cumulative log-probabilities. serial: the number of the step.
        """
        orders, parents_of, tokens_of = found.order.tolist(), found.parents.tolist(), found.tokens.tolist()
        totals = orders if own is found.order else own.tolist()
        codes = found.reasons.tolist() if found.reasons is not None else [None] * len(sentences)
        turns = self._turns(found)
        outcomes = []
        for position, sentence in enumerate(sentences):
            pool = pools[sentence]
            columns = orders[position], totals[position], parents_of[position], tokens_of[position]
            dropped = codes[position]
            reasons = None if dropped is None else [REASONS[code] for code in dropped]
            ranking = Ranking(columns[0], self._ends(columns[3]), reasons)
            selection = self._selection(ranking, pool, None if turns is None else turns[position])
            if turns is not None:
                reasons = self._explained(ranking, pool, turns[position], selection)
            outcome = StepOutcome(*columns, reasons, *selection, [])
            for rank in selection.finished:
                sequence = self._sequence(beam, position, outcome, rank, serial)
                pool.groups[sequence.group].add(sequence)
            depth_first = self.strategy.depth_first
            outcomes.append(outcome.packed() if depth_first else self._without_done_groups(outcome, pool))
        return tuple(outcomes)

    def _ends(self, tokens: list[int]) -> list[bool]:
        last, eos_id = self.length == self.constraints.max_length, self.eos_id
        return [last or token == eos_id for token in tokens]

    def _selection(self, ranking: Ranking, pool: Pool, turns: list[int] | None) -> Selection:
        """What the strategy selects of every group, by rank among all candidates.

        The survivors of a group are filled up so that every group has its rows.
        """
        width = 0 if self.strategy.depth_first else self.strategy.width // len(pool.groups)
        if len(pool.groups) == 1:
            survivors, finished = self._selected(ranking, pool.groups[0], turns)
            return Selection(survivors + [EMPTY] * (width - len(survivors)), finished)
        order, ends, reasons = ranking
        size = len(order) // len(pool.groups)
        survivors, finished = [], []
        for group, hypotheses in enumerate(pool.groups):
            first = group * size
            mine = slice(first, first + size)
            part = Ranking(order[mine], ends[mine], None if reasons is None else reasons[mine])
            selection = self._selected(part, hypotheses, None if turns is None else turns[mine])
            survivors += [first + rank for rank in selection.survivors]
            survivors += [EMPTY] * (width - len(selection.survivors))
            finished += [first + rank for rank in selection.finished]
        return Selection(survivors, finished)

    def _selected(self, ranking: Ranking, hypotheses: BeamHypotheses, turns: list[int] | None) -> Selection:
        """What the strategy selects of one group, whose candidates come in their turns if they have some."""
        if turns is None:
            return self.strategy.select(ranking, hypotheses)
        ranks = sorted((rank for rank, turn in enumerate(turns) if turn != NO_TURN), key=turns.__getitem__)
        order, ends, reasons = ranking
        inside = Ranking(
            [order[rank] for rank in ranks],
            [ends[rank] for rank in ranks],
            None if reasons is None else [reasons[rank] for rank in ranks],
        )
        survivors, finished = self.strategy.select(inside, hypotheses)
        return Selection(sorted(ranks[turn] for turn in survivors), [ranks[turn] for turn in finished])

    def _turns(self, found: Candidates) -> list[list[int]] | None:
        """The turn of each candidate (A, C), where words must occur; depth first all have turns by rank."""
        if found.banks is None:
            return None
        if not self.strategy.depth_first:
            return in_turn(found, self.strategy.groups).tolist()
        return [_by_rank(banks) for banks in found.banks.tolist()]

    def _explained(
        self, ranking: Ranking, pool: Pool, turns: list[int], selection: Selection
    ) -> list[Reason | None]:
        """The reasons of the candidates, with what the words that must occur have changed."""
        reasons = ranking.reasons or [None] * len(turns)
        reasons = [
            Reason.WITHOUT_WORDS if turn == NO_TURN and reason not in EXCLUDES else reason
            for turn, reason in zip(turns, reasons, strict=True)
        ]
        without = set(self._selection(ranking, pool, _by_rank(turns)).survivors)
        for rank in without.difference(selection.survivors, [EMPTY]):
            reasons[rank] = Reason.HELD_BACK
        for rank in set(selection.survivors) - without - {EMPTY}:
            reasons[rank] = Reason.FOR_WORDS
        return reasons

    def _sequence(self, beam: Beam, position: int, outcome: StepOutcome, rank: int, serial: int) -> Finished:
        history = beam.tokens[position, outcome.parents[rank]].tolist()
        own, order = outcome.cumulative[rank], outcome.order[rank]
        return Finished(
            tokens=(*history, outcome.tokens[rank]),
            log_prob=own,
            order=order,
            score=self.strategy.normalizer(own, self.length),
            key=self.strategy.normalizer(self.strategy.basis(own, order), self.length),
            ended=outcome.tokens[rank] == self.eos_id and not self.closing,
            serial=serial,
            rank=rank,
            group=rank // max(1, len(outcome.tokens) // self.strategy.groups),
        )

    def _without_done_groups(self, outcome: StepOutcome, pool: Pool) -> StepOutcome:
        """The outcome in which the survivors of a group stop if none of them can enter its hypotheses."""
        if not outcome.survivors or not pool.any_finished:
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
        return outcome._replace(survivors=survivors, stopped=stopped) if stopped else outcome

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
        penalty = strategy.greatest_penalty(self.length, max_length) if only_best else None
        return penalty is not None and best / penalty <= hypotheses.finished[0].key


def _by_rank(turns: Sequence[int]) -> list[int]:
    """The turns if those who have one came by rank."""
    return [NO_TURN if turn == NO_TURN else rank for rank, turn in enumerate(turns)]

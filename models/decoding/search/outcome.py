"""The outcome of a step: which candidates go on, which are finished, and which groups are done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from models.decoding.search.beam import (
    PADDING,
    Beam,
    BeamHypotheses,
    Candidates,
    FinishedSequence,
    Pool,
    Ranking,
    Selection,
)
from models.decoding.search.step import Expansion, SearchConditions, StepOutcome
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.search.words import NO_TURN, TOO_LATE, turns_of
from models.decoding.status import EXCLUDING_REASONS, REASONS, Reason


@dataclass(frozen=True)
class OutcomeRule:
    """Decides which candidates of one step go on, which are finished, and which groups are done.

    It works with plain Python numbers: for a few candidates that is faster than tensor kernels.
    """

    strategy: DecodingStrategy
    conditions: SearchConditions
    beam: Beam  # before the step
    expansion: Expansion
    step_number: int

    @property
    def length(self) -> int:
        """Tokens of a candidate."""
        return self.beam.length + 1

    def decide(self, sentences: Sequence[int], pools: Sequence[Pool]) -> tuple[StepOutcome, ...]:
        """Return the outcomes of B sentences, and add their finished sequences to the pools."""
        candidates, cumulative = self.expansion.candidates, self.expansion.cumulative
        rank_scores, parents, tokens = (
            column.tolist() for column in (candidates.rank_scores, candidates.parents, candidates.tokens)
        )
        log_probs = rank_scores if cumulative is candidates.rank_scores else cumulative.tolist()
        reason_codes = None if candidates.reasons is None else candidates.reasons.tolist()
        turns = self._turns(candidates)
        at_limit, eos_id = self.length == self.conditions.max_length, self.beam.eos_id
        outcomes = []
        for index, sentence in enumerate(sentences):
            pool = pools[sentence]
            reasons = None if reason_codes is None else [REASONS[code] for code in reason_codes[index]]
            ends = [at_limit or token == eos_id for token in tokens[index]]
            ranking = Ranking(rank_scores[index], ends, reasons)
            selection = self._selection(ranking, pool, None if turns is None else turns[index])
            if turns is not None:
                reasons = self._reasons(ranking, pool, turns[index], selection)
            outcome = StepOutcome(
                rank_scores[index], log_probs[index], parents[index], tokens[index], reasons, *selection, []
            )
            for rank in selection.finished:
                sequence = self._sequence(index, outcome, rank)
                pool.groups[sequence.group].add(sequence)
            depth_first = self.strategy.depth_first
            outcomes.append(outcome.pack() if depth_first else self._without_done_groups(outcome, pool))
        return tuple(outcomes)

    def _selection(self, ranking: Ranking, pool: Pool, turns: list[int] | None) -> Selection:
        """Return the strategy's selection from every group, by rank among all candidates.

        The survivors of a group are padded with PADDING to the group's number of rows.
        """
        width = 0 if self.strategy.depth_first else self.strategy.width // len(pool.groups)
        if len(pool.groups) == 1:
            survivors, finished = self._select(ranking, pool.groups[0], turns)
            return Selection(survivors + [PADDING] * (width - len(survivors)), finished)
        rank_scores, ends, reasons = ranking
        size = len(rank_scores) // len(pool.groups)
        survivors, finished = [], []
        for group, hypotheses in enumerate(pool.groups):
            first = group * size
            members = slice(first, first + size)
            part = Ranking(rank_scores[members], ends[members], None if reasons is None else reasons[members])
            selection = self._select(part, hypotheses, None if turns is None else turns[members])
            survivors += [first + rank for rank in selection.survivors]
            survivors += [PADDING] * (width - len(selection.survivors))
            finished += [first + rank for rank in selection.finished]
        return Selection(survivors, finished)

    def _select(self, ranking: Ranking, hypotheses: BeamHypotheses, turns: list[int] | None) -> Selection:
        """Return the strategy's selection from one group, by `turns` instead of ranks if words are needed."""
        if turns is None:
            return self.strategy.select(ranking, hypotheses)
        ranks = sorted((rank for rank, turn in enumerate(turns) if turn != NO_TURN), key=turns.__getitem__)
        rank_scores, ends, reasons = ranking
        in_turn = Ranking(
            [rank_scores[rank] for rank in ranks],
            [ends[rank] for rank in ranks],
            None if reasons is None else [reasons[rank] for rank in ranks],
        )
        survivors, finished = self.strategy.select(in_turn, hypotheses)
        return Selection(sorted(ranks[turn] for turn in survivors), [ranks[turn] for turn in finished])

    def _turns(self, candidates: Candidates) -> list[list[int]] | None:
        """The place of each candidate in the order of selection (B, C), if words are required.

        A candidate with NO_TURN may not be selected.
        """
        if candidates.banks is None:
            return None
        if not self.strategy.depth_first:
            return turns_of(candidates, self.strategy.num_groups).tolist()
        return [
            [NO_TURN if bank == TOO_LATE else rank for rank, bank in enumerate(banks)]
            for banks in candidates.banks.tolist()
        ]

    def _reasons(
        self, ranking: Ranking, pool: Pool, turns: list[int], selection: Selection
    ) -> list[Reason | None]:
        """The reasons of the candidates, among them those that the required words give."""
        reasons = ranking.reasons or [None] * len(turns)
        reasons = [
            Reason.WITHOUT_WORDS if turn == NO_TURN and reason not in EXCLUDING_REASONS else reason
            for turn, reason in zip(turns, reasons, strict=True)
        ]
        ranks = [NO_TURN if turn == NO_TURN else rank for rank, turn in enumerate(turns)]
        survivors_by_rank = set(self._selection(ranking, pool, ranks).survivors)
        for rank in survivors_by_rank.difference(selection.survivors, [PADDING]):
            reasons[rank] = Reason.HELD_BACK
        for rank in set(selection.survivors) - survivors_by_rank - {PADDING}:
            reasons[rank] = Reason.FOR_WORDS
        return reasons

    def _sequence(self, index: int, outcome: StepOutcome, rank: int) -> FinishedSequence:
        history = self.beam.tokens[index, outcome.parents[rank]].tolist()
        # At the length limit the checkpoint may have put the end token.
        was_closed = self.expansion.forced is not None and self.expansion.forced.reason is Reason.CLOSING
        log_prob, rank_score = outcome.cumulative[rank], outcome.rank_scores[rank]
        return FinishedSequence(
            tokens=(*history, outcome.tokens[rank]),
            log_prob=log_prob,
            rank_score=rank_score,
            score=self.strategy.normalizer(log_prob, self.length),
            key=self.strategy.normalizer(self.strategy.basis(log_prob, rank_score), self.length),
            ended=outcome.tokens[rank] == self.beam.eos_id and not was_closed,
            step_number=self.step_number,
            rank=rank,
            group=rank // max(1, len(outcome.tokens) // self.strategy.num_groups),
        )

    def _without_done_groups(self, outcome: StepOutcome, pool: Pool) -> StepOutcome:
        """Stop the survivors of each group that is done by the strategy's rule, or by `only_best`."""
        if not outcome.survivors or not pool.sequences:
            return outcome
        width = len(outcome.survivors) // len(pool.groups)
        survivors: list[int] = []
        stopped: list[int] = []
        for group, hypotheses in enumerate(pool.groups):
            rows = outcome.survivors[group * width : (group + 1) * width]
            ranks = [rank for rank in rows if rank != PADDING]
            if ranks and self._is_done(outcome, ranks, hypotheses):
                stopped += ranks
                ranks = []
            survivors += ranks + [PADDING] * (width - len(ranks))
        return outcome._replace(survivors=survivors, stopped=stopped) if stopped else outcome

    def _is_done(self, outcome: StepOutcome, ranks: Sequence[int], hypotheses: BeamHypotheses) -> bool:
        """Whether a group is done: by the strategy's rule, or because no survivor can become the best."""
        only_best = self.conditions.only_best
        # Every survivor may enter a group that is not full.
        if not hypotheses.sequences or not (hypotheses.full or only_best):
            return False
        strategy, max_length = self.strategy, self.conditions.max_length
        best = max(strategy.basis(outcome.cumulative[rank], outcome.rank_scores[rank]) for rank in ranks)
        if hypotheses.full and strategy.is_done(best, self.length, hypotheses, max_length):
            return True
        penalty = strategy.greatest_penalty(self.length, max_length) if only_best else None
        return penalty is not None and best / penalty <= hypotheses.sequences[0].key

"""A greedy pass ahead of a beam search. If it proves that its output is the best, no beam is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from models.budget import let_others_run
from models.decoding.search.bans import Constraint, TokenBan
from models.decoding.search.beam import NEG_INF, BeamHypotheses, FinishedSequence, Pool, Ranking, Selection
from models.decoding.search.step import SearchStep
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.strategies.beam_search import BeamSearch

# The least lead of a proven output: a share of its key, or of 1 if the key is nearer to 0. Rounding changes
# keys by far less.
MIN_LEAD = 1e-4


@dataclass(frozen=True)
class GreedyProof(BeamSearch):
    """Greedy search that tries to prove its output the best. Its pool also holds the best runner-up.

    A runner-up is the second candidate of a step; it is pooled as if it had ended there. No further
    token raises a log-probability, so no output that begins with a runner-up is more probable than it. A
    sentence ends early if a runner-up is at least as probable as the greedy prefix: then nothing can be
    proven.
    """

    beam_size: int = 1

    @property
    def pool_size(self) -> int:
        """Return 2, for the greedy output and the best runner-up."""
        return 2

    def select(self, ranking: Ranking, hypotheses: BeamHypotheses) -> Selection:
        """Select the first candidate, and pool the second if it is the most probable runner-up so far."""
        best_so_far = hypotheses.sequences[0].log_prob if hypotheses.sequences else NEG_INF
        runner_up = [1] if max(ranking.rank_scores[1:], default=NEG_INF) > best_so_far else []
        return Selection([], [0, *runner_up]) if ranking.ends[0] else Selection([0], runner_up)


def first_pass(strategy: DecodingStrategy, constraints: Iterable[Constraint]) -> GreedyProof | None:
    """Return a greedy pass that may make the search unnecessary, or None if it could prove nothing.

    A proof needs a beam that does not stop early, and log-probabilities that no constraint but a ban changes.
    """
    if not isinstance(strategy, BeamSearch) or type(strategy).expand is not BeamSearch.expand:
        return None
    longer_is_never_better = strategy.normalizer.kind == "none" or strategy.normalizer.alpha <= 0
    no_early_stop = strategy.early_stopping == "never" or (
        strategy.early_stopping is False and longer_is_never_better
    )
    single_group = strategy.num_groups == 1 and not strategy.modifies_scores
    bans_only = all(isinstance(constraint, TokenBan) for constraint in constraints)
    return GreedyProof() if strategy.beam_size > 1 and no_early_stop and single_group and bans_only else None


def proven(
    steps: Iterable[SearchStep], strategy: DecodingStrategy, max_length: int
) -> list[FinishedSequence | None]:
    """Return the proven output of each sentence, or None where a search by `strategy` may find another.

    steps: the steps of the first pass.
    """
    pools: Sequence[Pool] = ()
    for step in steps:
        let_others_run()
        pools = step.pools
    return [_proven_output(pool.sequences, strategy, max_length) for pool in pools]


def _proven_output(
    sequences: Sequence[FinishedSequence], strategy: DecodingStrategy, max_length: int
) -> FinishedSequence | None:
    best, *runners_up = sequences
    if best.rank != 0:
        return None
    key = strategy.normalizer(best.log_prob, len(best.tokens))
    penalty = strategy.greatest_penalty(0, max_length)
    assert penalty is not None  # a beam search has one
    bound = max((other.log_prob for other in runners_up), default=NEG_INF) / penalty
    return replace(best, score=key, key=key) if bound < key - MIN_LEAD * max(1.0, abs(key)) else None

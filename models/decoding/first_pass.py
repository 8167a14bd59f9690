"""A greedy pass ahead of a beam search: where it proves its output the best, no beam is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from models.budget import let_others_run
from models.decoding.search.bans import TokenBan
from models.decoding.search.beam import NEG_INF, Finished, Pool
from models.decoding.search.processors import LogitsProcessor
from models.decoding.search.step import SearchStep
from models.decoding.strategies import BeamSearch, DecodingStrategy

# Share of a key. Batches of other shapes sum in another order, which changes far less than this.
SLACK = 1e-4


def first_pass(strategy: DecodingStrategy, processors: Iterable[LogitsProcessor]) -> BeamSearch | None:
    """Return the same search with one row for each sentence, or None if that could prove nothing.

    A proof needs log-probabilities that never rise and a beam that does not stop early.
    """
    if not isinstance(strategy, BeamSearch) or type(strategy).expand is not BeamSearch.expand:
        return None
    neutral = strategy.normalizer.kind == "none" or strategy.normalizer.alpha <= 0
    waits = strategy.early_stopping == "never" or (strategy.early_stopping is False and neutral)
    without_groups = strategy.groups == 1 and not strategy.reorders
    if (
        strategy.beam_size == 1
        or not (waits and without_groups)
        or not all(isinstance(x, TokenBan) for x in processors)
    ):
        return None
    return replace(strategy, beam_size=1)


def proven(steps: Iterable[SearchStep], strategy: DecodingStrategy, max_length: int) -> list[Finished | None]:
    """Return the output of each sentence that a search by `strategy` would find too, else None.

    steps: those of the first pass. Every other output differs from the greedy one at some step. Its total is
    at most the second best there, which divided by `greatest_penalty` bounds its score.
    """
    pools: Sequence[Pool] = ()
    rivals = torch.empty(0)  # (B,), the highest key that any other sequence may reach
    for step in steps:
        let_others_run()
        pools = step.pools
        penalty = strategy.greatest_penalty(step.length, max_length)
        assert penalty is not None  # a beam has one
        rivals = _raised(rivals, step, penalty)
    best = [next(iter(pool.finished), None) for pool in pools]
    return [
        held if held is not None and rival < held.key - SLACK * max(1.0, abs(held.key)) else None
        for held, rival in zip(best, rivals.tolist(), strict=True)
    ]


def _raised(rivals: Tensor, step: SearchStep, penalty: float) -> Tensor:
    runners_up = step.candidates.rank_scores[:, 1].cpu() / penalty
    if not len(rivals):
        rivals = torch.full((len(step.pools),), NEG_INF, dtype=runners_up.dtype)
    active = torch.tensor(step.sentences)
    return rivals.index_copy(0, active, torch.maximum(rivals[active], runners_up))

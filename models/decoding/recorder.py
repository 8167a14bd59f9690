"""Turns the steps of a search over one sentence into its trace, while they happen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import torch
from torch import Tensor

from models.decoding.beam import NEVER, Finished, ranked_top_k
from models.decoding.scoring import LengthNormalizer
from models.decoding.search import Fate, SearchStep
from models.decoding.trace import (
    Attention,
    BeamNode,
    DecodedRow,
    DecodingStep,
    Hypothesis,
    NextToken,
    Reason,
    Status,
)

TOP_K = 10
DECIMALS = 6  # of a recorded number; float32 holds no more


class Recorder:
    """Collects steps and hypotheses; `spell` names a token, `read` makes a text of ids."""

    def __init__(
        self,
        spell: Callable[[int], str],
        read: Callable[[tuple[int, ...]], str],
        normalizer: LengthNormalizer,
        chooses: bool,
    ) -> None:
        """chooses: True if a row takes its token without a competition (greedy, sampling)."""
        self._spell, self._read, self._normalizer, self._chooses = spell, read, normalizer, chooses
        self._row_nodes: list[int | None] | None = None
        self._num_nodes = 0
        self._steps: list[DecodingStep] = []
        self._finished: dict[tuple[int, int], int] = {}  # (step, rank) -> node

    def record(self, steps: Iterable[SearchStep]) -> tuple[tuple[DecodingStep, ...], tuple[Hypothesis, ...]]:
        """Run the search to its end. The batch must hold one sentence."""
        pool: list[Finished] = []
        for step in steps:
            self._steps.append(self._step(step))
            pool = step.pools[0].finished
        hypotheses = tuple(self._hypothesis(sequence) for sequence in pool)
        return self._settle({hypothesis.node for hypothesis in hypotheses}), hypotheses

    def _step(self, step: SearchStep) -> DecodingStep:
        # The nodes that the live rows end in; every row starts as the empty prefix.
        row_nodes = self._row_nodes or [None] * step.beam.log_probs.shape[1]
        top, ids = ranked_top_k(step.log_probs[0], TOP_K)  # (K, TOP_K)
        nodes = self._nodes(step, row_nodes, top)
        recorded = DecodingStep(step.index, self._rows(step, row_nodes, top, ids), tuple(nodes.values()))
        self._row_nodes = [nodes[rank].id for rank in step.fates[0].survivors]
        return recorded

    def _rows(
        self, step: SearchStep, row_nodes: list[int | None], top: Tensor, top_ids: Tensor
    ) -> tuple[DecodedRow, ...]:
        log_probs = step.log_probs[0]  # (K, V)
        values, ids = _numbers(top), top_ids.tolist()
        # 0 x log 0 counts as 0: a finite floor under the impossible tokens makes it so.
        entropies = _numbers(-torch.linalg.vecdot(log_probs.exp(), log_probs.clamp_min(-1e4)))
        attention = [None] * len(values) if step.attention is None else _numbers(step.attention[0])
        rows: dict[int | None, DecodedRow] = {}
        for k, node in enumerate(row_nodes):
            if node not in rows:  # samples share the empty prefix: one row says it all
                tokens = tuple(
                    NextToken(i, self._spell(i), x) for i, x in zip(ids[k], values[k], strict=True)
                )
                rows[node] = DecodedRow(node, tokens, entropies[k], _frozen(attention[k]))
        return tuple(rows.values())

    def _nodes(self, step: SearchStep, row_nodes: list[int | None], top: Tensor) -> dict[int, BeamNode]:
        """By rank; places that no candidate fills are left out."""
        found, fate = step.candidates, step.fates[0]
        own = _numbers(found.log_probs[0])
        token_ranks = _token_ranks(step.log_probs[0], top, found.parents[0], found.log_probs[0])
        nodes = {}
        for rank, total in enumerate(fate.cumulative):
            if total == NEVER:
                continue
            status, reason = self._verdict(fate, rank, fate.tokens[rank] == step.eos_id)
            nodes[rank] = BeamNode(
                id=self._num_nodes,
                parent=row_nodes[fate.parents[rank]],
                step=step.index,
                token_id=fate.tokens[rank],
                token=self._spell(fate.tokens[rank]),
                log_prob=own[rank],
                cumulative=round(total, DECIMALS),
                score=round(self._normalizer(total, step.index + 1), DECIMALS),
                rank=rank,
                token_rank=token_ranks[rank],
                status=status,
                reason=reason,
            )
            if status is Status.FINISHED:
                self._finished[step.index, rank] = self._num_nodes
            self._num_nodes += 1
        return nodes

    def _verdict(self, fate: Fate, rank: int, ends: bool) -> tuple[Status, Reason]:
        if rank in fate.finished:
            return Status.FINISHED, Reason.END_TOKEN if ends else Reason.MAX_LENGTH
        if rank in fate.survivors:
            return Status.KEPT, Reason.CHOSEN if self._chooses else Reason.WITHIN_BEAM
        return Status.PRUNED, Reason.END_OUTSIDE_BEAM if ends else Reason.RANKED_BELOW

    def _hypothesis(self, sequence: Finished) -> Hypothesis:
        return Hypothesis(
            node=self._finished[sequence.step, sequence.rank],
            token_ids=sequence.tokens,
            text=self._read(sequence.tokens),
            log_prob=round(sequence.log_prob, DECIMALS),
            score=round(sequence.score, DECIMALS),
            ended=sequence.ended,
        )

    def _settle(self, winners: set[int]) -> tuple[DecodingStep, ...]:
        """Write the fates that only the end of the search decides."""
        last = self._steps[-1].index if self._steps else 0
        left_over = Reason.RANKED_BELOW if self._chooses else Reason.EARLY_STOP

        def settled(node: BeamNode) -> BeamNode:
            if node.status is Status.FINISHED and node.id not in winners:
                return replace(node, reason=Reason.DISPLACED)
            if node.status is Status.KEPT and node.step == last:
                return replace(node, status=Status.PRUNED, reason=left_over)
            return node

        return tuple(replace(step, nodes=tuple(settled(node) for node in step.nodes)) for step in self._steps)


def _token_ranks(log_probs: Tensor, top: Tensor, parents: Tensor, own: Tensor) -> list[int]:
    """How many tokens of its row beat each candidate.

    log_probs (K, V), top (K, TOP_K) their highest, parents and own (C,).
    """
    better = (top[parents] > own.unsqueeze(1)).sum(dim=1)
    # Beaten by all of the top: only then the rest of the row must be read.
    far = (better == top.shape[1]).nonzero().squeeze(1)
    if len(far):
        better[far] = (log_probs[parents[far]] > own[far].unsqueeze(1)).sum(dim=1)
    ranks: list[int] = better.tolist()
    return ranks


def _numbers(tensor: Tensor) -> list:  # type: ignore[type-arg]
    # By way of the CPU: not every device knows double precision.
    return tensor.cpu().double().round(decimals=DECIMALS).tolist()


def _frozen(attention: list[list[list[float]]] | None) -> Attention | None:
    if attention is None:
        return None
    return tuple(tuple(tuple(head) for head in layer) for layer in attention)

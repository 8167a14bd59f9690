"""The steps of a search while their numbers are tensors, and how all of them become those of a trace."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from models.decoding.record.status import Reason, Status
from models.decoding.search.beam import EMPTY
from models.decoding.search.step import StepOutcome
from models.decoding.strategies.base import DecodingStrategy
from models.decoding.trace import Attention, BeamNode, DecodedRow, DecodingStep, NextToken

DECIMALS = 6  # of a recorded number; float32 holds no more


@dataclass(frozen=True)
class ObservedStep:
    """One step: K rows, N of which are recorded, and C candidates, P of which are."""

    serial: int  # number of the step
    index: int  # tokens that the rows held
    outcome: StepOutcome
    row_nodes: list[int | None]  # K, the node that each row ends in; EMPTY: no row
    rows: Sequence[int]  # N, the rows that are recorded
    places: Sequence[int]  # P, the candidates that are recorded, as places in the outcome
    ranks: Sequence[int]  # P, their places among the candidates of all groups
    per_group: int  # candidates of each group
    ids: Sequence[int]  # P, of their nodes
    statuses: list[tuple[Status, Reason]]  # P, what became of each and why
    top: Tensor  # (N, TOP_K), log-probabilities of the likeliest next tokens
    top_ids: Tensor  # (N, TOP_K)
    entropy: Tensor  # (N,), in nats
    attention: Tensor | None  # (N, L, H, S)
    own: Tensor  # (P,), log-probability of each candidate's last token
    token_ranks: Tensor  # (P,)

    @property
    def nbytes(self) -> int:
        """Of the tensors, next to all of it."""
        tensors = (self.top, self.top_ids, self.attention)
        return sum(tensor.nbytes for tensor in tensors if tensor is not None)

    def narrowed(self, rows: Sequence[int], candidates: Sequence[int]) -> ObservedStep:
        """Only these of the N rows and of the P candidates, as copies that keep nothing else in memory."""
        if len(rows) == len(self.rows) and len(candidates) == len(self.ids):
            return self
        places = [self.places[number] for number in candidates]
        at, numbers = (torch.tensor(x, dtype=torch.int64, device=self.top.device) for x in (rows, candidates))
        return ObservedStep(
            serial=self.serial,
            index=self.index,
            outcome=self.outcome.narrowed(places),
            row_nodes=self.row_nodes,
            rows=[self.rows[number] for number in rows],
            places=range(len(places)),
            ranks=array("q", (self.ranks[number] for number in candidates)),
            per_group=self.per_group,
            ids=array("q", (self.ids[number] for number in candidates)),
            statuses=[self.statuses[number] for number in candidates],
            top=self.top[at],
            top_ids=self.top_ids[at],
            entropy=self.entropy[at],
            attention=None if self.attention is None else self.attention[at],
            own=self.own[numbers],
            token_ranks=self.token_ranks[numbers],
        )


def recorded_steps(
    observed: Sequence[ObservedStep], spell: Callable[[int], str], strategy: DecodingStrategy
) -> list[DecodingStep]:
    """The same steps as numbers and strings.

    The tensors of all steps are read in one go, which takes no longer than reading those of one.
    """
    if not observed:
        return []
    tops, entropies = (_numbers([getattr(seen, name) for seen in observed]) for name in ("top", "entropy"))
    spell = cache(spell)  # the likeliest tokens of one step are often those of the next
    top_ids: list[list[int]] = torch.cat([seen.top_ids for seen in observed]).tolist()
    own = _numbers([seen.own for seen in observed])
    ranks: list[int] = torch.cat([seen.token_ranks for seen in observed]).tolist()
    attention = _attention(observed)
    steps, row, candidate = [], 0, 0
    for seen in observed:
        end, stop = row + len(seen.rows), candidate + len(seen.places)
        rows: dict[int | None, DecodedRow] = {}
        for at, number in zip(range(row, end), seen.rows, strict=True):
            node = seen.row_nodes[number]
            if node not in rows and node != EMPTY:  # all samples begin with the empty prefix: one row
                top = tuple(NextToken(i, spell(i), x) for i, x in zip(top_ids[at], tops[at], strict=True))
                rows[node] = DecodedRow(node, top, entropies[at], attention[at])
        nodes = _nodes(seen, own[candidate:stop], ranks[candidate:stop], spell, strategy)
        steps.append(DecodingStep(seen.index, tuple(rows.values()), nodes))
        row, candidate = end, stop
    return steps


def _nodes(
    seen: ObservedStep,
    own: list[float],
    ranks: list[int],
    spell: Callable[[int], str],
    strategy: DecodingStrategy,
) -> tuple[BeamNode, ...]:
    outcome = seen.outcome
    totals = outcome.cumulative
    columns = zip(seen.places, seen.ranks, seen.statuses, strict=True)
    return tuple(
        BeamNode(
            id=seen.ids[number],
            parent=seen.row_nodes[outcome.parents[place]],
            step=seen.index,
            token_id=outcome.tokens[place],
            token=spell(outcome.tokens[place]),
            log_prob=own[number],
            cumulative=round(totals[place], DECIMALS),
            score=round(strategy.normalizer(totals[place], seen.index + 1), DECIMALS),
            rank=rank % seen.per_group,
            token_rank=ranks[number],
            status=status,
            reason=reason,
            order=None if outcome.order[place] == totals[place] else round(outcome.order[place], DECIMALS),
            group=rank // seen.per_group,
        )
        for number, (place, rank, (status, reason)) in enumerate(columns)
    )


def _attention(observed: Sequence[ObservedStep]) -> Sequence[Attention | None]:
    """Of every row of every step."""
    tensors = [seen.attention for seen in observed if seen.attention is not None]
    if not tensors:
        return [None] * sum(len(seen.rows) for seen in observed)
    return [tuple(tuple(map(tuple, layer)) for layer in row) for row in _numbers(tensors)]


def _numbers(tensors: Sequence[Tensor]) -> list:  # type: ignore[type-arg]
    # By way of the CPU: not every device knows double precision.
    return torch.cat(list(tensors)).cpu().double().round(decimals=DECIMALS).tolist()

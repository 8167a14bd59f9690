"""The steps of a search while their numbers are tensors, and how all of them become those of a trace."""

from __future__ import annotations

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
    """One step: K rows, C candidates, P of which are recorded."""

    index: int  # tokens that the rows held
    outcome: StepOutcome
    row_nodes: list[int | None]  # K, the node that each row ends in; EMPTY: no row
    places: list[int]  # P, the candidates that are recorded
    first_id: int  # of their nodes
    statuses: list[tuple[Status, Reason]]  # P, what became of each and why
    top: Tensor  # (K, N), log-probabilities of the likeliest next tokens
    top_ids: Tensor  # (K, N)
    entropy: Tensor  # (K,), in nats
    attention: Tensor | None  # (K, L, H, S)
    own: Tensor  # (P,), log-probability of each candidate's last token
    token_ranks: Tensor  # (P,)


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
        end, stop = row + len(seen.row_nodes), candidate + len(seen.places)
        rows: dict[int | None, DecodedRow] = {}
        for at, node in zip(range(row, end), seen.row_nodes, strict=True):
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
    per_group = max(len(outcome.tokens) // strategy.groups, 1)
    return tuple(
        BeamNode(
            id=seen.first_id + number,
            parent=seen.row_nodes[outcome.parents[place]],
            step=seen.index,
            token_id=outcome.tokens[place],
            token=spell(outcome.tokens[place]),
            log_prob=own[number],
            cumulative=round(totals[place], DECIMALS),
            score=round(strategy.normalizer(totals[place], seen.index + 1), DECIMALS),
            rank=place % per_group,
            token_rank=ranks[number],
            status=status,
            reason=reason,
            order=None if outcome.order[place] == totals[place] else round(outcome.order[place], DECIMALS),
            group=place // per_group,
        )
        for number, (place, (status, reason)) in enumerate(zip(seen.places, seen.statuses, strict=True))
    )


def _attention(observed: Sequence[ObservedStep]) -> Sequence[Attention | None]:
    """Of every row of every step."""
    tensors = [seen.attention for seen in observed if seen.attention is not None]
    if not tensors:
        return [None] * sum(len(seen.row_nodes) for seen in observed)
    return [tuple(tuple(map(tuple, layer)) for layer in row) for row in _numbers(tensors)]


def _numbers(tensors: Sequence[Tensor]) -> list:  # type: ignore[type-arg]
    # By way of the CPU: not every device knows double precision.
    return torch.cat(list(tensors)).cpu().double().round(decimals=DECIMALS).tolist()

"""What a recorder notes of a step, and how all notes together become records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from models.decoding.beam import EMPTY
from models.decoding.frontier import Fate
from models.decoding.strategies.base import DecodingStrategy
from models.decoding.trace import (
    Attention,
    BeamNode,
    DecodedRow,
    DecodingStep,
    NextToken,
    Reason,
    Status,
)

DECIMALS = 6  # of a recorded number; float32 holds no more


@dataclass(frozen=True)
class Note:
    """One step as it was seen: K rows, C candidates."""

    index: int  # tokens that the rows held
    fate: Fate
    row_nodes: list[int | None]  # K, the node that each row ends in; EMPTY: no row
    places: list[int]  # P, the candidates that are recorded
    first_id: int  # of their nodes
    verdicts: list[tuple[Status, Reason]]  # P
    top: Tensor  # (K, N), log-probabilities of the likeliest next tokens
    top_ids: Tensor  # (K, N)
    entropy: Tensor  # (K,), in nats
    attention: Tensor | None  # (K, L, H, S)
    own: Tensor  # (P,), log-probability of each candidate's last token
    token_ranks: Tensor  # (P,)


def written(
    notes: Sequence[Note], spell: Callable[[int], str], strategy: DecodingStrategy
) -> list[DecodingStep]:
    """One record per note. Tensors of all steps become numbers in one go, which costs as much as for one."""
    if not notes:
        return []
    tops, entropies = (_numbers([getattr(note, name) for note in notes]) for name in ("top", "entropy"))
    top_ids: list[list[int]] = torch.cat([note.top_ids for note in notes]).tolist()
    own = _numbers([note.own for note in notes])
    ranks: list[int] = torch.cat([note.token_ranks for note in notes]).tolist()
    attention = _attention(notes)
    steps, row, candidate = [], 0, 0
    for note in notes:
        end, stop = row + len(note.row_nodes), candidate + len(note.places)
        rows: dict[int | None, DecodedRow] = {}
        for at, node in zip(range(row, end), note.row_nodes, strict=True):
            if node not in rows and node != EMPTY:  # samples share the empty prefix: one row says it all
                top = tuple(NextToken(i, spell(i), x) for i, x in zip(top_ids[at], tops[at], strict=True))
                rows[node] = DecodedRow(node, top, entropies[at], attention[at])
        nodes = _nodes(note, own[candidate:stop], ranks[candidate:stop], spell, strategy)
        steps.append(DecodingStep(note.index, tuple(rows.values()), nodes))
        row, candidate = end, stop
    return steps


def _nodes(
    note: Note, own: list[float], ranks: list[int], spell: Callable[[int], str], strategy: DecodingStrategy
) -> tuple[BeamNode, ...]:
    fate = note.fate
    per_group = max(len(fate.tokens) // strategy.groups, 1)
    return tuple(
        BeamNode(
            id=note.first_id + number,
            parent=note.row_nodes[fate.parents[place]],
            step=note.index,
            token_id=fate.tokens[place],
            token=spell(fate.tokens[place]),
            log_prob=own[number],
            cumulative=round(fate.cumulative[place], DECIMALS),
            score=round(strategy.normalizer(fate.cumulative[place], note.index + 1), DECIMALS),
            rank=place % per_group,
            token_rank=ranks[number],
            status=status,
            reason=reason,
            order=None if fate.order[place] == fate.cumulative[place] else round(fate.order[place], DECIMALS),
            group=place // per_group,
        )
        for number, (place, (status, reason)) in enumerate(zip(note.places, note.verdicts, strict=True))
    )


def _attention(notes: Sequence[Note]) -> Sequence[Attention | None]:
    """Of every row of every note."""
    seen = [note.attention for note in notes if note.attention is not None]
    if not seen:
        return [None] * sum(len(note.row_nodes) for note in notes)
    return [tuple(tuple(map(tuple, layer)) for layer in row) for row in _numbers(seen)]


def _numbers(tensors: Sequence[Tensor]) -> list:  # type: ignore[type-arg]
    # By way of the CPU: not every device knows double precision.
    return torch.cat(list(tensors)).cpu().double().round(decimals=DECIMALS).tolist()

"""The rows that a search expands next."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from models.decoding.search.beam import NEG_INF, PADDING, Beam
from models.decoding.search.step import StepOutcome
from models.networks.base import DecoderState

DTYPES = {"q": torch.int64, "f": torch.float32, "d": torch.float64}  # keys: type codes of `array`


@dataclass(frozen=True)
class LiveRows:
    """Rows of equal length that are expanded together."""

    sentences: tuple[int, ...]  # B positions in the batch
    beam: Beam  # B x K rows
    state: DecoderState
    last_tokens: Tensor  # (B * K,), the token that each row ends in


class NextRows(NamedTuple):
    """R rows made from candidates."""

    beam: Beam
    parents: Tensor  # (R,) int64, the row that each grew from
    last_tokens: Tensor  # (R,) int64
    moved: bool  # False: row i continues row i, for all rows, so the state needs no reordering


def next_rows(
    beam: Beam,
    outcomes: Sequence[StepOutcome],
    picks: Sequence[tuple[int, int]],
    sentences: int,
    step_number: int,
    tempered: Tensor | None = None,
) -> NextRows:
    """Return the rows that candidates make.

    picks: (sentence index, rank) of each row, with rank PADDING for padding. sentences: the number of
    sentences that have rows. step_number: the step of the candidates. tempered (B, C): see `Candidates`.
    """
    num_rows, device = beam.rank_scores.shape[1], beam.tokens.device
    parents: list[int] = []
    tokens: list[int] = []
    cumulative: list[float] = []
    rank_scores: list[float] = []
    for index, rank in picks:
        outcome = outcomes[index]
        if rank == PADDING:
            parents.append(index * num_rows)
            tokens.append(0)
            cumulative.append(NEG_INF)
            rank_scores.append(NEG_INF)
        else:
            parents.append(index * num_rows + outcome.parents[rank])
            tokens.append(outcome.tokens[rank])
            cumulative.append(outcome.cumulative[rank])
            rank_scores.append(outcome.rank_scores[rank])
    parent_rows, last_tokens = _tensor("q", parents + tokens, device).view(2, -1).unbind(0)
    history = beam.tokens.flatten(0, 1)
    moved = parents != list(range(len(history)))
    prefixes = history.index_select(0, parent_rows) if moved else history
    # Perturbed scores need double precision, which not every device has; others stay in single precision.
    rank_tensor = _tensor("f" if tempered is None else "d", rank_scores, device).view(sentences, -1)
    next_beam = Beam(
        tokens=torch.cat((prefixes, last_tokens.unsqueeze(1)), dim=1).view(sentences, -1, beam.length + 1),
        cumulative=rank_tensor
        if cumulative == rank_scores
        else _tensor("f", cumulative, device).view(sentences, -1),
        rank_scores=rank_tensor,
        eos_id=beam.eos_id,
        tempered=_tempered_of(tempered, picks, sentences),
        origin=step_number,
        ranks=_by_sentence(picks, sentences),
    )
    return NextRows(next_beam, parent_rows, last_tokens, moved)


def _tensor(code: str, numbers: Sequence[float], device: torch.device) -> Tensor:
    """A tensor made from an array of this type code: `torch.tensor` takes three times as long."""
    return torch.frombuffer(array(code, numbers), dtype=DTYPES[code]).to(device)


def _tempered_of(tempered: Tensor | None, picks: Sequence[tuple[int, int]], sentences: int) -> Tensor | None:
    if tempered is None:
        return None
    indices, ranks = (torch.tensor(column, device=tempered.device) for column in zip(*picks, strict=True))
    values = tempered[indices, ranks.clamp_min(0)].masked_fill(ranks == PADDING, NEG_INF)
    return values.view(sentences, -1)


def _by_sentence(picks: Sequence[tuple[int, int]], sentences: int) -> tuple[tuple[int, ...], ...]:
    ranks = [rank for _, rank in picks]
    width = len(ranks) // sentences
    return tuple(tuple(ranks[start : start + width]) for start in range(0, len(ranks), width))

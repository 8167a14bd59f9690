"""The steps of a search while their numbers are tensors, and their conversion to the steps of a trace."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, islice
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor

from models.decoding.record.adjusted import DECIMALS, AdjustedNumbers, adjusted_candidates, adjusted_rows
from models.decoding.search.beam import NEG_INF, PADDING
from models.decoding.search.step import StepOutcome
from models.decoding.search.strategy import MIN_ROW_TOP, DecodingStrategy
from models.decoding.status import Reason, Status
from models.decoding.trace import Attention, BeamNode, DecodedRow, DecodingStep, NextToken

TOP_K = MIN_ROW_TOP  # next tokens that a trace records of each row
MAX_CONVERTED_NUMBERS = 1 << 20  # attention weights that are converted at a time
Item = TypeVar("Item")
Record = TypeVar("Record", bound=tuple[object, ...])  # a named tuple


class LastTokens(NamedTuple):
    """The last tokens of P candidates."""

    log_probs: Tensor  # (P,), the model's own, in nats
    ranks: Tensor  # (P,), the number of more probable tokens of the same row

    @classmethod
    def of(cls, rows: Tensor, top: Tensor, parents: Tensor, tokens: Tensor) -> LastTokens:
        """Look up the tokens (P,) in their parent rows; rows (K, V), top (K, N) their highest values."""
        log_probs = rows.flatten().gather(0, parents * rows.shape[1] + tokens)
        ranks = (top[parents] > log_probs.unsqueeze(1)).sum(dim=1)
        # Only a token below all top values needs the whole row for its rank.
        below_top = (ranks == top.shape[1]).nonzero().squeeze(1)
        if len(below_top):
            ranks[below_top] = (rows[parents[below_top]] > log_probs[below_top].unsqueeze(1)).sum(dim=1)
        return cls(log_probs, ranks)


@dataclass(frozen=True)
class ObservedStep:
    """One step of K rows and C candidates, of which N rows and P candidates are recorded."""

    number: int  # the number of the step in the search
    length: int  # tokens of its rows before the step
    outcome: StepOutcome
    row_nodes: list[int | None]  # K, the node that each row ends in; PADDING for padding
    rows: Sequence[int]  # N, the recorded rows
    columns: Sequence[int]  # P, the recorded candidates, as indices into the outcome
    ranks: Sequence[int]  # P, their ranks among the candidates of all groups
    per_group: int  # candidates of each group
    ids: Sequence[int]  # P, the ids of their nodes
    statuses: list[tuple[Status, Reason]]  # P
    top: Tensor  # (N, TOP_K or more), log-probabilities of the likeliest next tokens
    top_ids: Tensor  # (N, TOP_K or more)
    entropy: Tensor  # (N,), in nats
    attention: Tensor | None  # (N, L, H, S)
    last: LastTokens  # the last tokens of the P candidates
    adjusted: AdjustedNumbers | None  # None: the strategy saw the model's own numbers

    @property
    def nbytes(self) -> int:
        """The memory of its tensors, which is nearly all of it."""
        tensors = (self.top, self.top_ids, self.attention)
        return sum(tensor.nbytes for tensor in tensors if tensor is not None)

    def recorded_part(self, column: Sequence[Item]) -> Sequence[Item]:
        """Return the P recorded values of a column of all C candidates."""
        return column if len(self.columns) == len(column) else [column[index] for index in self.columns]

    def subset(self, rows: Sequence[int], candidates: Sequence[int]) -> ObservedStep:
        """Copy some of the N rows and of the P candidates, so that the others leave memory."""
        if len(rows) == len(self.rows) and len(candidates) == len(self.ids):
            return self
        columns = [self.columns[number] for number in candidates]
        row_numbers, numbers = (
            torch.tensor(indices, dtype=torch.int64, device=self.top.device) for indices in (rows, candidates)
        )
        return replace(
            self,
            outcome=self.outcome.subset(columns),
            rows=[self.rows[number] for number in rows],
            columns=range(len(columns)),
            ranks=array("q", (self.ranks[number] for number in candidates)),
            ids=array("q", (self.ids[number] for number in candidates)),
            statuses=[self.statuses[number] for number in candidates],
            top=self.top[row_numbers],
            top_ids=self.top_ids[row_numbers],
            entropy=self.entropy[row_numbers],
            attention=None if self.attention is None else self.attention[row_numbers],
            last=LastTokens(*(values[numbers] for values in self.last)),
            adjusted=None if self.adjusted is None else self.adjusted.subset(row_numbers, numbers),
        )


def trace_steps(
    observed: Sequence[ObservedStep], surface_of: Callable[[int], str], strategy: DecodingStrategy
) -> list[DecodingStep]:
    """Convert steps to numbers and strings.

    The tensors of all steps are converted together, which takes no longer than converting those of one.
    """
    if not observed:
        return []
    surface_of = cache(surface_of)  # the same tokens are often the likeliest of several steps
    tops = _tops(observed, surface_of)
    entropies = _numbers([step.entropy for step in observed])
    nodes = _nodes(observed, surface_of, strategy)
    all_rows = zip(tops, entropies, _attention(observed), strict=True)
    steps = []
    for step in observed:
        rows: dict[int | None, DecodedRow] = {}
        step_rows = list(islice(all_rows, len(step.rows)))
        adjusted = adjusted_rows(step.adjusted, [top for top, _, _ in step_rows])
        for number, (top, entropy, attention), changed in zip(step.rows, step_rows, adjusted, strict=True):
            node = step.row_nodes[number]
            if node not in rows and node != PADDING:  # all samples begin with the empty prefix: one row
                rows[node] = DecodedRow(node, top, entropy, attention, *changed)
        steps.append(DecodingStep(step.length, tuple(rows.values()), tuple(islice(nodes, len(step.ids)))))
    return steps


def _nodes(
    observed: Sequence[ObservedStep], surface_of: Callable[[int], str], strategy: DecodingStrategy
) -> Iterator[BeamNode]:
    """The nodes of all candidates of all steps, built column by column."""
    if not any(len(step.ids) for step in observed):
        return iter(())
    tokens = [token for step in observed for token in step.recorded_part(step.outcome.tokens)]
    cumulative = [value for step in observed for value in step.recorded_part(step.outcome.cumulative)]
    rank_scores = [score for step in observed for score in step.recorded_part(step.outcome.rank_scores)]
    ranks = [divmod(rank, step.per_group) for step in observed for rank in step.ranks]
    log_probs = _numbers([step.last.log_probs for step in observed])
    token_ranks: list[int] = torch.cat([step.last.ranks for step in observed]).tolist()
    penalties = [strategy.normalizer.penalty(step.length + 1) for step in observed for _ in step.ids]
    scores = [value / penalty for value, penalty in zip(cumulative, penalties, strict=True)]
    trace_rank_scores = [
        None if score == value else round(score, DECIMALS)
        for score, value in zip(rank_scores, cumulative, strict=True)
    ]
    columns: dict[str, Iterable[object]] = {
        "id": chain.from_iterable(step.ids for step in observed),
        "parent": [
            step.row_nodes[row] for step in observed for row in step.recorded_part(step.outcome.parents)
        ],
        "step": [step.length for step in observed for _ in step.ids],
        "token_id": tokens,
        "token": map(surface_of, tokens),
        "log_prob": log_probs,
        "cumulative": _round_all(cumulative),
        "score": _round_all(scores),
        "rank": [rank for _, rank in ranks],
        "token_rank": token_ranks,
        "status": [status for step in observed for status, _ in step.statuses],
        "reason": [reason for step in observed for _, reason in step.statuses],
        "rank_score": trace_rank_scores,
        "group": [group for group, _ in ranks],
        "chance": adjusted_candidates([(step.adjusted, len(step.ids)) for step in observed], log_probs),
    }
    return _records(BeamNode, zip(*(columns[name] for name in BeamNode._fields), strict=True))


def _tops(observed: Sequence[ObservedStep], surface_of: Callable[[int], str]) -> list[tuple[NextToken, ...]]:
    """The likeliest next tokens of all rows of all steps."""
    top_ids = torch.cat([step.top_ids[:, :TOP_K] for step in observed])
    ids: list[int] = top_ids.flatten().tolist()
    log_probs = _numbers([step.top[:, :TOP_K] for step in observed])
    tokens = _records(NextToken, zip(ids, map(surface_of, ids), log_probs, strict=True))
    rows = _groups(tokens, top_ids.shape[1])
    if NEG_INF not in log_probs:
        return list(rows)
    return [tuple(token for token in row if token.log_prob > NEG_INF) for row in rows]


def _attention(observed: Sequence[ObservedStep]) -> Iterable[Attention | None]:
    """The attention of all rows of all steps."""
    tensors = [step.attention for step in observed if step.attention is not None]
    if not tensors:
        return [None] * sum(len(step.rows) for step in observed)
    _, layers, heads, length = tensors[0].shape
    numbers = chain.from_iterable(map(_numbers, _some_at_once(tensors)))
    return _groups(_groups(_groups(numbers, length), heads), layers)


def _some_at_once(tensors: Iterable[Tensor]) -> Iterator[list[Tensor]]:
    """Yield groups of about MAX_CONVERTED_NUMBERS numbers: converting all at once would fill memory."""
    group: list[Tensor] = []
    for tensor in tensors:
        group.append(tensor)
        if sum(member.numel() for member in group) >= MAX_CONVERTED_NUMBERS:
            yield group
            group = []
    if group:
        yield group


def _numbers(tensors: Sequence[Tensor]) -> list[float]:
    """All numbers in one list: nested lists would keep the garbage collector busy."""
    # Converted on the CPU, since not every device has double precision.
    numbers: list[float] = torch.cat(list(tensors)).cpu().double().round(decimals=DECIMALS).flatten().tolist()
    return numbers


def _round_all(numbers: Sequence[float]) -> list[float]:
    """Round to DECIMALS, all together: Python's `round` would take longer than all the rest."""
    return _numbers([torch.tensor(numbers, dtype=torch.float64, device="cpu")])


def _records(kind: type[Record], rows: Iterable[tuple[object, ...]]) -> Iterator[Record]:
    """Make a named tuple of each row, without the check of its length that doubles the time of `_make`."""
    return map(partial(tuple.__new__, kind), rows)


def _groups(items: Iterable[Item], size: int) -> Iterator[tuple[Item, ...]]:
    """Group items into tuples of `size`: one iterator fills the columns of each tuple in turn."""
    return zip(*[iter(items)] * size, strict=True)

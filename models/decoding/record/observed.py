"""The steps of a search while their numbers are tensors, and how all of them become those of a trace."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor

from models.decoding.search.beam import EMPTY, NEVER
from models.decoding.search.step import StepOutcome
from models.decoding.search.strategy import ROW_TOP, DecodingStrategy
from models.decoding.status import Reason, Status
from models.decoding.trace import Attention, BeamNode, DecodedRow, DecodingStep, NextToken

TOP_K = ROW_TOP
AT_ONCE = 1 << 20  # numbers of attention that are read at a time
DECIMALS = 6  # of a recorded number; float32 holds no more
Item = TypeVar("Item")
Record = TypeVar("Record", bound=tuple[object, ...])  # a named tuple
_LastToken = tuple[float, int]  # log-probability and rank in its row of a candidate's last token


class LastTokens(NamedTuple):
    """Of P candidates."""

    log_probs: Tensor  # (P,)
    ranks: Tensor  # (P,), how many tokens of their rows beat them

    @classmethod
    def of(cls, rows: Tensor, top: Tensor, parents: Tensor, tokens: Tensor) -> LastTokens:
        """rows (K, V), top (K, N): their highest, parents and tokens (P,)."""
        own = rows.flatten().gather(0, parents * rows.shape[1] + tokens)
        ranks = (top[parents] > own.unsqueeze(1)).sum(dim=1)
        # Beaten by all of the top: only then the rest of the row must be read.
        far = (ranks == top.shape[1]).nonzero().squeeze(1)
        if len(far):
            ranks[far] = (rows[parents[far]] > own[far].unsqueeze(1)).sum(dim=1)
        return cls(own, ranks)

    @classmethod
    def in_top(cls, observed: Sequence[ObservedStep]) -> LastTokens:
        """Of all candidates of steps whose `top` holds them, one step after the other."""
        parents: list[int] = []
        tokens: list[int] = []
        first = 0
        for seen in observed:
            at = {row: first + number for number, row in enumerate(seen.rows)}
            parents += [at[row] for row in seen.picked(seen.outcome.parents)]
            tokens += seen.picked(seen.outcome.tokens)
            first += len(seen.rows)
        rows, last = torch.tensor((parents, tokens), dtype=torch.int64, device=observed[0].top.device)
        top = torch.cat([seen.top for seen in observed])[rows]  # (P, N)
        top_ids = torch.cat([seen.top_ids for seen in observed])[rows]
        own = top.gather(1, (top_ids == last.unsqueeze(1)).long().argmax(dim=1, keepdim=True))
        return cls(own.squeeze(1), (top > own).sum(dim=1))


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
    top: Tensor  # (N, M), log-probabilities of the likeliest next tokens, of which TOP_K are recorded
    top_ids: Tensor  # (N, M)
    entropy: Tensor  # (N,), in nats
    attention: Tensor | None  # (N, L, H, S)
    last: LastTokens | None  # of the candidates; None: all of them are in `top`

    @property
    def nbytes(self) -> int:
        """Of the tensors, next to all of it."""
        tensors = (self.top, self.top_ids, self.attention)
        return sum(tensor.nbytes for tensor in tensors if tensor is not None)

    def picked(self, column: Sequence[Item]) -> Sequence[Item]:
        """Of a column of all C candidates the P recorded ones."""
        return column if len(self.places) == len(column) else [column[place] for place in self.places]

    def narrowed(self, rows: Sequence[int], candidates: Sequence[int]) -> ObservedStep:
        """Only these of the N rows and of the P candidates, as copies that keep nothing else in memory."""
        if len(rows) == len(self.rows) and len(candidates) == len(self.ids):
            return self
        places = [self.places[number] for number in candidates]
        at, numbers = (torch.tensor(x, dtype=torch.int64, device=self.top.device) for x in (rows, candidates))
        return ObservedStep(
            serial=self.serial,
            index=self.index,
            outcome=self.outcome.subset(places),
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
            last=None if self.last is None else LastTokens(*(each[numbers] for each in self.last)),
        )


def recorded_steps(
    observed: Sequence[ObservedStep], spell: Callable[[int], str], strategy: DecodingStrategy
) -> list[DecodingStep]:
    """The same steps as numbers and strings.

    The tensors of all steps are read in one go, which takes no longer than reading those of one.
    """
    if not observed:
        return []
    spell = cache(spell)  # the likeliest tokens of one step are often those of the next
    tops = _tops(observed, spell)
    entropies = _numbers([seen.entropy for seen in observed])
    nodes = _nodes(observed, spell, strategy)
    found = zip(tops, entropies, _attention(observed), strict=True)
    steps = []
    for seen in observed:
        rows: dict[int | None, DecodedRow] = {}
        its_rows = zip(seen.rows, islice(found, len(seen.rows)), strict=True)
        for number, (top, entropy, attention) in its_rows:
            node = seen.row_nodes[number]
            if node not in rows and node != EMPTY:  # all samples begin with the empty prefix: one row
                rows[node] = DecodedRow(node, top, entropy, attention)
        steps.append(DecodingStep(seen.index, tuple(rows.values()), tuple(islice(nodes, len(seen.ids)))))
    return steps


def _last_tokens(observed: Sequence[ObservedStep]) -> tuple[Iterator[_LastToken], Iterator[_LastToken]]:
    """Of each candidate in turn: of the steps whose `top` holds them, and of the others."""
    steps = [seen for seen in observed if seen.last is None]
    in_top = [LastTokens.in_top(steps)] if steps else []
    return _one_by_one(in_top), _one_by_one([seen.last for seen in observed if seen.last is not None])


def _one_by_one(last: Sequence[LastTokens]) -> Iterator[_LastToken]:
    if not last:
        return iter(())
    ranks: list[int] = torch.cat([each.ranks for each in last]).tolist()
    return zip(_numbers([each.log_probs for each in last]), ranks, strict=True)


def _nodes(
    observed: Sequence[ObservedStep], spell: Callable[[int], str], strategy: DecodingStrategy
) -> Iterator[BeamNode]:
    """Of every candidate of every step, column by column."""
    if not any(len(seen.ids) for seen in observed):
        return iter(())
    tokens = [token for seen in observed for token in seen.picked(seen.outcome.tokens)]
    totals = [total for seen in observed for total in seen.picked(seen.outcome.cumulative)]
    orders = [order for seen in observed for order in seen.picked(seen.outcome.order)]
    ranks = [divmod(rank, seen.per_group) for seen in observed for rank in seen.ranks]
    in_top, others = _last_tokens(observed)
    last = [
        each
        for seen in observed
        for each in islice(in_top if seen.last is None else others, len(seen.places))
    ]
    penalties = [strategy.normalizer.penalty(seen.index + 1) for seen in observed for _ in seen.ids]
    scores = [total / penalty for total, penalty in zip(totals, penalties, strict=True)]
    ranked_by = [
        None if order == total else round(order, DECIMALS)
        for order, total in zip(orders, totals, strict=True)
    ]
    columns: dict[str, Iterable[object]] = {
        "id": chain.from_iterable(seen.ids for seen in observed),
        "parent": [seen.row_nodes[row] for seen in observed for row in seen.picked(seen.outcome.parents)],
        "step": [seen.index for seen in observed for _ in seen.ids],
        "token_id": tokens,
        "token": map(spell, tokens),
        "log_prob": [log_prob for log_prob, _ in last],
        "cumulative": _rounded(totals),
        "score": _rounded(scores),
        "rank": [rank for _, rank in ranks],
        "token_rank": [rank for _, rank in last],
        "status": [status for seen in observed for status, _ in seen.statuses],
        "reason": [reason for seen in observed for _, reason in seen.statuses],
        "order": ranked_by,
        "group": [group for group, _ in ranks],
    }
    return _records(BeamNode, zip(*(columns[name] for name in BeamNode._fields), strict=True))


def _tops(observed: Sequence[ObservedStep], spell: Callable[[int], str]) -> list[tuple[NextToken, ...]]:
    """Of every row of every step."""
    top_ids = torch.cat([seen.top_ids[:, :TOP_K] for seen in observed])
    ids: list[int] = top_ids.flatten().tolist()
    log_probs = _numbers([seen.top[:, :TOP_K] for seen in observed])
    tokens = _records(NextToken, zip(ids, map(spell, ids), log_probs, strict=True))
    rows = _grouped(tokens, top_ids.shape[1])
    if NEVER not in log_probs:
        return list(rows)
    return [tuple(token for token in row if token.log_prob > NEVER) for row in rows]


def _attention(observed: Sequence[ObservedStep]) -> Iterable[Attention | None]:
    """Of every row of every step."""
    tensors = [seen.attention for seen in observed if seen.attention is not None]
    if not tensors:
        return [None] * sum(len(seen.rows) for seen in observed)
    _, layers, heads, length = tensors[0].shape
    numbers = chain.from_iterable(map(_numbers, _some_at_once(tensors)))
    return _grouped(_grouped(_grouped(numbers, length), heads), layers)


def _some_at_once(tensors: Iterable[Tensor]) -> Iterator[list[Tensor]]:
    """Tensors that follow each other, until they hold AT_ONCE numbers: copies of all would fill memory."""
    some: list[Tensor] = []
    for tensor in tensors:
        some.append(tensor)
        if sum(each.numel() for each in some) >= AT_ONCE:
            yield some
            some = []
    if some:
        yield some


def _numbers(tensors: Sequence[Tensor]) -> list[float]:
    """All of them in one row: a list for each dimension would keep the garbage collector busy."""
    # By way of the CPU: not every device knows double precision.
    numbers: list[float] = torch.cat(list(tensors)).cpu().double().round(decimals=DECIMALS).flatten().tolist()
    return numbers


def _rounded(numbers: Sequence[float]) -> list[float]:
    """To DECIMALS, all in one go: in Python each would take longer than its record."""
    return _numbers([torch.tensor(numbers, dtype=torch.float64, device="cpu")])


def _records(kind: type[Record], rows: Iterable[tuple[object, ...]]) -> Iterator[Record]:
    """A named tuple of each row; `kind._make` looks at its length too, which takes twice as long."""
    return map(partial(tuple.__new__, kind), rows)


def _grouped(items: Iterable[Item], size: int) -> Iterator[tuple[Item, ...]]:
    """Tuples of `size` items that follow each other: the one iterator gives each place of a tuple in turn."""
    return zip(*[iter(items)] * size, strict=True)

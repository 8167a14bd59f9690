"""The prefixes that a search met, as one tree with exact probabilities and bounds on the rest.

Candidates with the same prefix, such as those of several samples, share one node. Besides the recorded
candidates the tree holds the likely next tokens of every row, including those that the search did not extend.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from demo.widgets.figures.trace_figure import per_trace
from models.decoding.status import Reason
from models.decoding.trace import DecodedRow, DecodingTrace, NextToken

ROOT = 0  # index of the empty prefix, or of what every output was made to begin with
MIN_LISTED_PROBABILITY = 1e-3  # least probability of a prefix that is known only as a likely next token
ENDS = {Reason.END_TOKEN, Reason.END_OUTSIDE_BEAM, Reason.CLOSING}


@dataclass(frozen=True)
class Prefix:
    """The first tokens of one or more outputs; a whole output if it ended."""

    index: int  # its index in the tree
    parent: int | None  # index; None for the root
    depth: int  # tokens after the root
    token: str  # its last token, "" for the root
    log_prob: float  # given the root, in nats
    nodes: tuple[int, ...]  # ids of the candidates with this prefix; none if it was never a candidate
    children: tuple[int, ...]  # indices, the most probable first
    explored: bool  # whether the model computed the next tokens
    ended: bool  # whether it is a whole output: it has the end token or reaches the length limit
    rest: float  # probability of the outputs that begin with it, without those of its children
    rest_bound: float  # upper bound on the log-probability (nats) of any one output counted in `rest`

    @classmethod
    def elsewhere(cls, depth: int, token: str, log_prob: float, nodes: tuple[int, ...]) -> Prefix:
        """Return a prefix outside any tree, of an output from elsewhere."""
        return cls(-1, None, depth, token, log_prob, nodes, (), False, False, 0.0, -math.inf)

    @property
    def mass(self) -> float:
        """The probability that an output begins with this prefix; that of the output itself if it ended."""
        return math.exp(self.log_prob)


@dataclass(frozen=True)
class PrefixTree:
    """All prefixes of a trace."""

    prefixes: tuple[Prefix, ...]  # parents before children
    forced_length: int  # tokens that every output was made to begin with; the root is behind them
    hypotheses: tuple[int, ...]  # index of the prefix of each hypothesis of the trace

    @cached_property
    def best(self) -> Prefix | None:
        """The most probable output that the search met, even if it dropped it."""
        ended = (prefix for prefix in self.prefixes if prefix.ended)
        return max(ended, key=lambda prefix: prefix.log_prob, default=None)

    @cached_property
    def total(self) -> float:
        """The probability of all outputs that the search met."""
        return math.fsum(prefix.mass for prefix in self.prefixes if prefix.ended)

    @cached_property
    def bound(self) -> tuple[float, Prefix | None]:
        """The greatest log-probability (nats) that an output outside the tree can have, and its first prefix.

        Each further token multiplies the probability by at most 1, so no output is more probable than any of
        its prefixes. The first prefix is one that was not explored, or one with children outside the tree.
        """
        result = [(_unseen(prefix), prefix) for prefix in self.prefixes if not prefix.ended]
        bound, prefix = max(result, key=lambda pair: pair[0], default=(-math.inf, None))
        return bound, prefix if bound > -math.inf else None

    @property
    def settled(self) -> bool:
        """Whether it is certain that the most probable output of all is in the tree."""
        return self.best is not None and self.best.log_prob >= self.bound[0]

    def path(self, index: int) -> tuple[Prefix, ...]:
        """Return the prefixes from the first token after the root to `index`, both included."""
        path: list[Prefix] = []
        prefix = self.prefixes[index]
        while prefix.parent is not None:
            path.append(prefix)
            prefix = self.prefixes[prefix.parent]
        return tuple(reversed(path))


@per_trace
def prefix_tree(trace: DecodingTrace) -> PrefixTree | None:
    """Return the tree of a trace; None if it holds no candidate after the forced tokens."""
    forced_length = len(trace.forced) or trace.opening
    drafts = _Drafts(trace, forced_length)
    if len(drafts.all) < 2:
        return None
    prefixes = tuple(drafts.finish(index) for index in range(len(drafts.all)))
    ends = (drafts.index_by_node.get(hypothesis.node) for hypothesis in trace.hypotheses)
    return PrefixTree(prefixes, forced_length, tuple(end for end in ends if end is not None))


def _unseen(prefix: Prefix) -> float:
    return prefix.rest_bound if prefix.explored else prefix.log_prob


@dataclass
class _Draft:
    parent: int | None
    depth: int
    token_id: int
    token: str
    log_prob: float
    nodes: list[int]
    children: list[int]
    row: DecodedRow | None = None


class _Drafts:
    """The tree while it is built."""

    def __init__(self, trace: DecodingTrace, forced_length: int) -> None:
        self.all = [_Draft(None, 0, -1, "", 0.0, [], [])]
        self.index_by_node: dict[int, int] = {}  # index of a prefix by the id of a candidate
        self._index_by_child: dict[tuple[int, int], int] = {}  # index by parent and token id
        self._ends = _end_tokens(trace)
        self._limit = _length_limit(trace)
        self._forced_length = forced_length
        rows = {row.node: row for step in trace for row in step.rows}
        before = _last_forced_node(trace, forced_length)
        start = trace.nodes[before].cumulative if before is not None else 0.0
        self.all[ROOT].row = rows.get(before)
        for node in (node for step in trace for node in step.nodes):
            if node.step == forced_length - 1:
                self.index_by_node[node.id] = ROOT
            parent = ROOT if node.parent is None else self.index_by_node.get(node.parent)
            if node.step < forced_length or parent is None:
                continue
            position = self._child(parent, node.token_id, node.token, node.cumulative - start)
            self.index_by_node[node.id] = position
            self.all[position].nodes.append(node.id)
            self.all[position].row = self.all[position].row or rows.get(node.id)
        for index in range(len(self.all)):
            row = self.all[index].row
            if row is not None:
                self._list(index, row.top)

    def _child(self, parent: int, token_id: int, token: str, log_prob: float) -> int:
        index = self._index_by_child.get((parent, token_id))
        if index is not None:
            return index
        self.all.append(_Draft(parent, self.all[parent].depth + 1, token_id, token, log_prob, [], []))
        self.all[parent].children.append(len(self.all) - 1)
        return self._index_by_child.setdefault((parent, token_id), len(self.all) - 1)

    def _list(self, parent: int, top: Iterable[NextToken]) -> None:
        """Add the most probable token, end tokens, and tokens whose prefix has MIN_LISTED_PROBABILITY."""
        start = self.all[parent].log_prob
        for rank, token in enumerate(top):
            total = start + token.log_prob
            if token.log_prob > -math.inf and (
                rank == 0 or token.token_id in self._ends or math.exp(total) >= MIN_LISTED_PROBABILITY
            ):
                self._child(parent, token.token_id, token.token, total)

    def finish(self, index: int) -> Prefix:
        draft = self.all[index]
        children = sorted(draft.children, key=lambda child: -self.all[child].log_prob)
        rest = math.exp(draft.log_prob) - math.fsum(math.exp(self.all[child].log_prob) for child in children)
        rest = max(rest, 0.0) if draft.row is not None else 0.0
        at_limit = self._limit is not None and draft.depth + self._forced_length > self._limit
        return Prefix(
            index=index,
            parent=draft.parent,
            depth=draft.depth,
            token=draft.token,
            log_prob=draft.log_prob,
            nodes=tuple(draft.nodes),
            children=tuple(children),
            explored=draft.row is not None,
            ended=draft.token_id in self._ends or at_limit,
            rest=rest,
            rest_bound=self._rest_bound(index, rest),
        )

    def _rest_bound(self, index: int, rest: float) -> float:
        """Return the lesser bound: of the rest as a whole, or of the most probable token outside the tree."""
        draft = self.all[index]
        if draft.row is None or rest == 0:
            return -math.inf
        if not draft.row.top:
            return math.log(rest)
        # A token outside `row.top` is at most as probable as the last token in it.
        not_in_tree = [
            token for token in draft.row.top if (index, token.token_id) not in self._index_by_child
        ]
        likeliest = max(token.log_prob for token in (*not_in_tree, draft.row.top[-1]))
        return min(math.log(rest), draft.log_prob + likeliest)


def _last_forced_node(trace: DecodingTrace, forced_length: int) -> int | None:
    """Return the candidate of the last forced token."""
    step = trace.steps[forced_length - 1] if 0 < forced_length <= len(trace.steps) else None
    return step.nodes[0].id if step is not None and step.nodes else None


def _end_tokens(trace: DecodingTrace) -> set[int]:
    ids = {
        hypothesis.token_ids[-1]
        for hypothesis in trace.hypotheses
        if hypothesis.ended and hypothesis.token_ids
    }
    return ids | {node.token_id for node in trace.nodes.values() if node.reason in ENDS}


def _length_limit(trace: DecodingTrace) -> int | None:
    """Return the last step that outputs could reach; None if no output was cut off."""
    cut = {trace.nodes[hypothesis.node].step for hypothesis in trace.hypotheses if not hypothesis.ended}
    steps = cut | {node.step for node in trace.nodes.values() if node.reason is Reason.MAX_LENGTH}
    return max(steps, default=None)

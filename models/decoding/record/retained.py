"""The candidates of a depth-first search that its trace may need; the search ranks many more."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest

from models.decoding.record.adjusted import DECIMALS
from models.decoding.record.observed import ObservedStep
from models.decoding.status import Status

MAX_RECORDED_NODES = 300  # nobody can read a larger tree: all other nodes are only counted
MIN_LARGE_BYTES, MIN_LARGE_CANDIDATES = (1 << 23, 1 << 13)  # fewer are kept, to save time


class Observations:
    """The observed steps of a search, from which unneeded nodes can be dropped."""

    def __init__(self) -> None:
        self.steps: list[ObservedStep] = []
        self.expanded: set[int | None] = set()  # ids of the expanded nodes
        self._bytes = self._candidates = 0
        self._max_bytes, self._max_candidates = MIN_LARGE_BYTES, MIN_LARGE_CANDIDATES

    @property
    def is_large(self) -> bool:
        """Whether the steps are large, and at least half of them were added since `drop_unneeded`."""
        return self._bytes > self._max_bytes or self._candidates > self._max_candidates

    def add(self, step: ObservedStep) -> None:
        """Append the next step."""
        self.steps.append(step)
        self.expanded.update(step.row_nodes)
        self._bytes += step.nbytes
        self._candidates += len(step.ids)

    def drop_unneeded(self, node_ids: Iterable[int], bound: float) -> None:
        """Keep the MAX_RECORDED_NODES most probable nodes, `node_ids`, and the ancestors of both.

        Nodes that wait to be expanded and have a rank score above `bound` stay too. Dropping all others early
        changes nothing: a node that is not among the most probable ones now never will be.
        """
        kept_nodes: set[int | None] = {*node_ids, *self._most_probable()}
        self.expanded.intersection_update(self._drop_all_but(kept_nodes, bound))
        self._bytes = sum(step.nbytes for step in self.steps)
        self._candidates = sum(len(step.ids) for step in self.steps)
        self._max_bytes = max(MIN_LARGE_BYTES, 2 * self._bytes)
        self._max_candidates = max(MIN_LARGE_CANDIDATES, 2 * self._candidates)

    def _most_probable(self) -> Iterable[int]:
        probabilities = (
            (-round(step.outcome.cumulative[column], DECIMALS), node)
            for step in self.steps
            for node, column in zip(step.ids, step.columns, strict=True)
        )
        return (node for _, node in nsmallest(MAX_RECORDED_NODES, probabilities))

    def _drop_all_but(self, needed: set[int | None], bound: float) -> set[int | None]:
        """Drop all nodes but the needed ones and their ancestors, and return the ids of these.

        Steps are visited from last to first, so that all descendants of a node come before it.
        """
        subsets = []
        for step in reversed(self.steps):
            rank_scores, parents = step.outcome.rank_scores, step.outcome.parents
            numbers = [
                number
                for number, (node, column) in enumerate(zip(step.ids, step.columns, strict=True))
                if node in needed
                or (
                    rank_scores[column] > bound
                    and step.statuses[number][0] is Status.KEPT
                    and node not in self.expanded
                )
            ]
            needed.update(step.row_nodes[parents[step.columns[number]]] for number in numbers)
            rows = [
                index
                for index, row in enumerate(step.rows)
                if (node := step.row_nodes[row]) is None or node in needed
            ]
            if rows or numbers:
                subsets.append(step.subset(rows, numbers))
        self.steps = subsets[::-1]
        return needed

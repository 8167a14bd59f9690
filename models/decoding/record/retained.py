"""Which candidates of a depth-first search its trace may need: it looks at many more than a trace tells."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest

from models.decoding.record.observed import DECIMALS, ObservedStep
from models.decoding.status import Status

MAX_NODES = 300  # of a depth-first search: a tree of more cannot be read, and the count of the rest is told
FEW_BYTES, FEW_CANDIDATES = 1 << 23, 1 << 13  # up to which looking for what can go is not worth its time


class Observations:
    """The observed steps of a search, from which what no trace needs can be taken away."""

    def __init__(self) -> None:
        self.steps: list[ObservedStep] = []
        self.expanded: set[int | None] = set()  # nodes that were rows
        self._bytes = self._candidates = 0
        self._most_bytes, self._most_candidates = FEW_BYTES, FEW_CANDIDATES

    @property
    def many(self) -> bool:
        """True if it is more than a little, and at least half of it came since `keep`."""
        return self._bytes > self._most_bytes or self._candidates > self._most_candidates

    def add(self, step: ObservedStep) -> None:
        """Append the next step."""
        self.steps.append(step)
        self.expanded.update(step.row_nodes)
        self._bytes += step.nbytes
        self._candidates += len(step.ids)

    def keep(self, wanted: Iterable[int], above: float) -> None:
        """Drop all but the MAX_NODES most probable nodes, the wanted ones, and what either grew from.

        Nodes that wait to be expanded and rank above `above` stay too. To drop the others early changes
        nothing: what is not among the most probable now never will be.
        """
        kept: set[int | None] = {*wanted, *self._most_probable()}
        self.expanded.intersection_update(self._narrow(kept, above))
        self._bytes = sum(step.nbytes for step in self.steps)
        self._candidates = sum(len(step.ids) for step in self.steps)
        self._most_bytes = max(FEW_BYTES, 2 * self._bytes)
        self._most_candidates = max(FEW_CANDIDATES, 2 * self._candidates)

    def _most_probable(self) -> Iterable[int]:
        totals = (
            (-round(step.outcome.cumulative[place], DECIMALS), node)
            for step in self.steps
            for node, place in zip(step.ids, step.places, strict=True)
        )
        return (node for _, node in nsmallest(MAX_NODES, totals))

    def _narrow(self, kept: set[int | None], above: float) -> set[int | None]:
        """The steps without all else; returns `kept` with what they grew from.

        From the last step to the first, so that of each node all that grew from it is known.
        """
        narrowed = []
        for step in reversed(self.steps):
            order, parents = step.outcome.order, step.outcome.parents
            numbers = [
                number
                for number, (node, place) in enumerate(zip(step.ids, step.places, strict=True))
                if node in kept
                or (
                    order[place] > above
                    and step.statuses[number][0] is Status.KEPT
                    and node not in self.expanded
                )
            ]
            kept.update(step.row_nodes[parents[step.places[number]]] for number in numbers)
            rows = [
                index
                for index, row in enumerate(step.rows)
                if (node := step.row_nodes[row]) is None or node in kept
            ]
            if rows or numbers:
                narrowed.append(step.narrowed(rows, numbers))
        self.steps = narrowed[::-1]
        return kept

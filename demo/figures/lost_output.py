"""The step at which a search lost an output that is better than its best one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, fields

from demo.figures.per_trace import per_trace
from models.decoding.judge.scored_text import ScoredText
from models.decoding.status import Reason, Status
from models.decoding.trace import BeamNode, DecodingTrace


@dataclass(frozen=True)
class ComparedTrace(DecodingTrace):
    """A trace with a better output, which another search or a person wrote."""

    better: ScoredText | None = None

    @classmethod
    def of(cls, trace: DecodingTrace, better: ScoredText) -> ComparedTrace:
        """Return the same trace with the better output."""
        return cls(
            **{field.name: getattr(trace, field.name) for field in fields(DecodingTrace)}, better=better
        )


@dataclass(frozen=True)
class Loss:
    """The step at which a search kept no beginning of a better output."""

    better: ScoredText
    step: int  # counted from 0
    beginnings: tuple[tuple[BeamNode, ...], ...]  # the candidates that begin as it does, after 1, 2, … tokens

    @property
    def dropped(self) -> BeamNode | None:
        """The candidate that the search dropped then; None if its token was not a recorded candidate."""
        return self.beginnings[self.step][0] if self.step < len(self.beginnings) else None

    @property
    def node(self) -> BeamNode | None:
        """The candidate that the tree can show: the dropped one, or else the last one that survived."""
        return self.beginnings[-1][0] if self.beginnings else None


@per_trace
def loss(trace: DecodingTrace) -> Loss | None:
    """Return where the search lost the better output; None without one, or if the search did not lose it."""
    better = trace.better if isinstance(trace, ComparedTrace) else None
    if better is None:
        return None
    children: dict[tuple[int | None, int], list[BeamNode]] = defaultdict(list)
    for node in sorted(trace.nodes.values(), key=lambda node: node.rank):
        children[node.parent, node.token_id].append(node)
    alive: list[int | None] = [None]
    beginnings = []
    for step, token in enumerate(better.token_ids):
        result = [node for parent in alive for node in children[parent, token]]
        if result:
            beginnings.append(tuple(result))
        surviving = [
            node
            for node in result
            if node.status is not Status.PRUNED and node.reason is not Reason.DISPLACED
        ]
        if not surviving:
            return Loss(better, step, tuple(beginnings))
        alive = [node.id for node in surviving]
    return None

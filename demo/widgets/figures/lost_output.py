"""A better output that a search lost, and the step at which it lost it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields

from demo.widgets.figures.trace_figure import per_trace
from models.decoding.judge.verdict import ScoredText
from models.decoding.status import Reason, Status
from models.decoding.trace import BeamNode, DecodingTrace


@dataclass(frozen=True)
class ComparedTrace(DecodingTrace):
    """A trace with a better output, which another search or a person wrote."""

    better: ScoredText | None = None

    @classmethod
    def from_trace(cls, trace: DecodingTrace, better: ScoredText) -> ComparedTrace:
        """Return the same trace with the better output."""
        return cls(
            **{field.name: getattr(trace, field.name) for field in fields(DecodingTrace)}, better=better
        )


def with_better_output(trace: DecodingTrace, better: ScoredText) -> DecodingTrace:
    """Add an output to a trace, if it scores higher than the first hypothesis."""
    if not trace.hypotheses or better.score <= trace.hypotheses[0].score:
        return trace
    return ComparedTrace.from_trace(trace, better)


@dataclass(frozen=True)
class LostOutput:
    """A better output, and the first step at which the search kept no beginning of it."""

    better: ScoredText
    step: int  # counted from 0
    beginnings: tuple[tuple[BeamNode, ...], ...]  # the candidates with its first 1, 2, … tokens

    @property
    def dropped(self) -> BeamNode | None:
        """The candidate that the search dropped at this step; None if the trace does not record it."""
        return self.beginnings[self.step][0] if self.step < len(self.beginnings) else None

    @property
    def node(self) -> BeamNode | None:
        """The candidate that the tree can show: the dropped one, otherwise the last one that survived."""
        return self.beginnings[-1][0] if self.beginnings else None


@per_trace
def lost_output(trace: DecodingTrace) -> LostOutput | None:
    """Return the better output that the search lost; None if it lost none or none is known."""
    better = trace.better if isinstance(trace, ComparedTrace) else None
    if better is None:
        return None
    beginnings, step = _beginnings(trace, better.token_ids)
    return None if step is None else LostOutput(better, step, beginnings)


def path_of(trace: DecodingTrace, token_ids: Sequence[int]) -> tuple[int, ...]:
    """Return the ids of the candidates with the first 1, 2, … tokens, as far as the trace records them."""
    return tuple(candidates[0].id for candidates in _beginnings(trace, token_ids)[0])


def _beginnings(
    trace: DecodingTrace, token_ids: Sequence[int]
) -> tuple[tuple[tuple[BeamNode, ...], ...], int | None]:
    """Return the candidates with the first 1, 2, … tokens, and the step that kept none of them, if any."""
    children: dict[tuple[int | None, int], list[BeamNode]] = defaultdict(list)
    for node in sorted(trace.nodes.values(), key=lambda node: node.rank):
        children[node.parent, node.token_id].append(node)
    alive: list[int | None] = [None]
    beginnings = []
    for step, token in enumerate(token_ids):
        candidates = [node for parent in alive for node in children[parent, token]]
        if candidates:
            beginnings.append(tuple(candidates))
        surviving = [
            node
            for node in candidates
            if node.status is not Status.PRUNED and node.reason is not Reason.DISPLACED
        ]
        if not surviving:
            return tuple(beginnings), step
        alive = [node.id for node in surviving]
    return tuple(beginnings), None

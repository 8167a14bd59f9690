"""The final status of candidates, which only the end of a search decides."""

from __future__ import annotations

from collections.abc import Sequence

from models.decoding.search.strategy import DecodingStrategy
from models.decoding.status import Reason, Status, Stop
from models.decoding.trace import BeamNode, DecodedRow, DecodingStep, Hypothesis


def with_final_status(
    steps: Sequence[DecodingStep],
    hypotheses: Sequence[Hypothesis],
    expanded: set[int | None],
    stop: Stop,
    strategy: DecodingStrategy,
) -> tuple[DecodingStep, ...]:
    """Return the steps with final statuses, one step per length.

    expanded: ids of the expanded nodes. stop: why the search ended.
    """
    winners = {hypothesis.node for hypothesis in hypotheses}
    rank_scores = (
        hypothesis.log_prob if hypothesis.rank_score is None else hypothesis.rank_score
        for hypothesis in hypotheses
    )
    worst = min(rank_scores, default=float("-inf"))

    def final(node: BeamNode) -> BeamNode:
        if node.status is Status.FINISHED and node.id not in winners:
            return node._replace(reason=Reason.DISPLACED)
        if node.status is Status.KEPT and node.id not in expanded:
            return node._replace(status=Status.PRUNED, reason=reason_to_abandon(node))
        return node

    def reason_to_abandon(node: BeamNode) -> Reason:
        if not strategy.depth_first:
            return Reason.EARLY_STOP
        cannot_win = (
            strategy.bounded and (node.cumulative if node.rank_score is None else node.rank_score) <= worst
        )
        return Reason.BOUND if cannot_win or stop is Stop.COMPLETE else Reason.BUDGET

    final_steps = [DecodingStep(step.index, step.rows, tuple(map(final, step.nodes))) for step in steps]
    return _merge_steps(final_steps) if strategy.depth_first else tuple(final_steps)


def _merge_steps(steps: Sequence[DecodingStep]) -> tuple[DecodingStep, ...]:
    """Merge the steps of each length, which a depth-first search visits many times."""
    rows: dict[int, dict[int | None, DecodedRow]] = {}
    nodes: dict[int, list[BeamNode]] = {}
    for step in steps:
        rows.setdefault(step.index, {}).update({row.node: row for row in step.rows})
        nodes.setdefault(step.index, []).extend(step.nodes)
    return tuple(
        DecodingStep(index, tuple(rows[index].values()), tuple(sorted(nodes[index], key=_by_probability)))
        for index in sorted(rows)
        if nodes[index]
    )


def _by_probability(node: BeamNode) -> tuple[float, int]:
    return -node.cumulative, node.id

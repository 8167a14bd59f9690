"""What only the end of a search decides: the last status of its candidates."""

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
    """The steps with every status final, one step per length; `expanded` are ids of nodes that were rows."""
    winners = {hypothesis.node for hypothesis in hypotheses}
    orders = (held.log_prob if held.order is None else held.order for held in hypotheses)
    worst = min(orders, default=float("-inf"))

    def final(node: BeamNode) -> BeamNode:
        if node.status is Status.FINISHED and node.id not in winners:
            return node._replace(reason=Reason.DISPLACED)
        if node.status is Status.KEPT and node.id not in expanded:
            return node._replace(status=Status.PRUNED, reason=abandoned(node))
        return node

    def abandoned(node: BeamNode) -> Reason:
        if not strategy.depth_first:
            return Reason.EARLY_STOP
        beaten = strategy.bounded and (node.cumulative if node.order is None else node.order) <= worst
        return Reason.BOUND if beaten or stop is Stop.COMPLETE else Reason.BUDGET

    final_steps = [DecodingStep(step.index, step.rows, tuple(map(final, step.nodes))) for step in steps]
    return _merged(final_steps) if strategy.depth_first else tuple(final_steps)


def _merged(steps: Sequence[DecodingStep]) -> tuple[DecodingStep, ...]:
    """One step per length: a depth-first search visits each many times."""
    rows: dict[int, dict[int | None, DecodedRow]] = {}
    result: dict[int, list[BeamNode]] = {}
    for step in steps:
        rows.setdefault(step.index, {}).update({row.node: row for row in step.rows})
        result.setdefault(step.index, []).extend(step.nodes)
    return tuple(
        DecodingStep(index, tuple(rows[index].values()), tuple(sorted(result[index], key=_by_total)))
        for index in sorted(rows)
        if result[index]
    )


def _by_total(node: BeamNode) -> tuple[float, int]:
    return -node.cumulative, node.id

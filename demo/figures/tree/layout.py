"""The layout of the beam tree: one column per step, and no edge crosses another.

The best path runs straight through the middle (y = 0). Every other branch leaves it upwards or downwards,
whichever side is emptier, and a column is never taller than the fullest one on its side. The groups of a
diverse beam are trees of their own, each below the one before. Samples that begin alike share that beginning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from models.decoding.trace import BeamNode, DecodingTrace

Children = dict[int | None, list[int]]  # node ids by parent id, best rank first
GROUP_GAP = 1.6  # rows between two groups


def best_node(trace: DecodingTrace) -> BeamNode | None:
    """Return the end of the best path: the best hypothesis, or the best candidate of the last step."""
    if trace.hypotheses:
        return trace.nodes[trace.hypotheses[0].node]
    last = next((step.nodes for step in reversed(trace.steps) if step.nodes), ())
    return min(last, key=lambda node: node.rank, default=None)


def same_prefix(trace: DecodingTrace) -> dict[int, int]:
    """Map each node to the first node with the same prefix in its group, which may be itself.

    Only samples repeat one another: a beam holds each prefix once.
    """
    first: dict[tuple[int, int | None, int], int] = {}
    same: dict[int, int] = {}
    for node in sorted(trace.nodes.values(), key=lambda node: node.step):
        parent = None if node.parent is None else same[node.parent]
        same[node.id] = first.setdefault((node.group, parent, node.token_id), node.id)
    return same


def tree_rows(trace: DecodingTrace) -> dict[int, float]:
    """Return the y of every node by id; equal prefixes share it, neighbours are at least 1 apart."""
    same = same_prefix(trace)
    rows: dict[int, float] = {}
    lowest = 0.0
    for group in tree_groups(trace):
        group_rows = _group_rows(trace, group, same)
        # The first group's best path is at 0; each further one starts below all that is there.
        shift = lowest - GROUP_GAP - max(group_rows.values()) if rows else 0.0
        rows.update({node_id: y + shift for node_id, y in group_rows.items()})
        lowest = min(rows.values())
    return {node_id: rows[first] for node_id, first in same.items()}


def tree_groups(trace: DecodingTrace) -> list[int]:
    """Return the groups that hold candidates, in order; one group unless the beam is diverse."""
    return sorted({node.group for node in trace.nodes.values()})


def best_of_group(trace: DecodingTrace, group: int) -> BeamNode:
    """Return the end of a group's best path: its best hypothesis, or its last step's best candidate."""
    for hypothesis in trace.hypotheses:
        if trace.nodes[hypothesis.node].group == group:
            return trace.nodes[hypothesis.node]
    nodes = [node for node in trace.nodes.values() if node.group == group]
    last = max(node.step for node in nodes)
    return min((node for node in nodes if node.step == last), key=lambda node: node.rank)


def _group_rows(trace: DecodingTrace, group: int, same: Mapping[int, int]) -> dict[int, float]:
    """Return the rows of one group by the ids of the first nodes of each prefix."""
    spine = [same[node.id] for node in trace.path(best_of_group(trace, group).id)]
    children = _children(trace, group, same)
    parents = {child: parent for parent, siblings in children.items() for child in siblings}
    above, below = _branches(spine, children)
    rows = dict.fromkeys(spine, 0.0)
    for sign, branches in ((1.0, above), (-1.0, below)):
        columns = _columns(branches, children, len(trace.steps))
        rows.update({node_id: sign * y for node_id, y in _heights(columns, parents).items()})
    return rows


def _children(trace: DecodingTrace, group: int, same: Mapping[int, int]) -> Children:
    children: Children = {}
    for node in sorted(trace.nodes.values(), key=lambda node: (node.step, node.rank)):
        if node.group == group and same[node.id] == node.id:
            parent = None if node.parent is None else same[node.parent]
            children.setdefault(parent, []).append(node.id)
    return children


def _branches(spine: Sequence[int], children: Children) -> tuple[list[list[int]], list[list[int]]]:
    """Return, per step, the branches that leave the best path above and below it."""
    above: list[list[int]] = []
    below: list[list[int]] = []
    loads = (Counter[int](), Counter[int]())  # nodes per step on either side
    parents: list[int | None] = [None, *spine]
    on_spine = set(spine)
    for step, parent in enumerate(parents):
        sides: tuple[list[int], list[int]] = ([], [])
        for child in children.get(parent, ()):
            if child in on_spine:
                continue
            size = _sizes(child, step, children)
            heights = [max((load[index] + size[index] for index in size), default=0) for load in loads]
            side = int(heights[1] < heights[0])
            sides[side].append(child)
            loads[side].update(size)
        above.append(sides[0])
        below.append(sides[1])
    return above, below


def _sizes(root: int, step: int, children: Children) -> Counter[int]:
    """Return the number of nodes per step in a branch."""
    sizes, level = Counter[int](), [root]
    while level:
        sizes[step] = len(level)
        level = [child for node in level for child in children.get(node, ())]
        step += 1
    return sizes


def _columns(branches: Sequence[Sequence[int]], children: Children, steps: int) -> list[list[int]]:
    """Return one side's nodes per step, from the best path outwards: later branches are nearer to it."""
    columns: list[list[int]] = []
    for step in range(steps):
        inherited = [child for node in (columns[-1] if columns else ()) for child in children.get(node, ())]
        fresh = list(branches[step]) if step < len(branches) else []
        columns.append(fresh + inherited)
    return columns


def _heights(columns: Sequence[Sequence[int]], parents: Mapping[int, int | None]) -> dict[int, float]:
    """Return rows: level with the parent if there is room, otherwise farther out in the fullest column."""
    limit = max((len(column) for column in columns), default=0)
    rows: dict[int, float] = {}
    for column in columns:
        y = 0.0
        for index, node_id in enumerate(column):
            parent = parents[node_id]
            aligned_y = rows.get(parent, 0.0) if parent is not None else 0.0
            y = min(max(aligned_y, y + 1), limit - (len(column) - 1 - index))
            rows[node_id] = y
    return rows

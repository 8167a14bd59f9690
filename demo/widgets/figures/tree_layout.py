"""The layout of the beam tree: one column per step, and no edge crosses another.

The best path runs straight through the middle (y = 0). Every other branch leaves it upwards or downwards,
whichever side is emptier. Each side is only as tall as its fullest column. The groups of a diverse beam are
separate trees, each below the one before. Samples with the same first tokens share the nodes of these tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from models.decoding.trace import BeamNode, DecodingTrace

Children = dict[int | None, list[int]]  # node ids by parent id, best rank first
GROUP_GAP = 1.6  # difference in y between two groups; neighbours in a column are at least 1 apart


def best_node(trace: DecodingTrace) -> BeamNode | None:
    """Return the end of the best path: the best hypothesis, or the best candidate of the last step."""
    if trace.hypotheses:
        return trace.nodes[trace.hypotheses[0].node]
    last = next((step.nodes for step in reversed(trace.steps) if step.nodes), ())
    return min(last, key=lambda node: node.rank, default=None)


def same_prefix(trace: DecodingTrace) -> dict[int, int]:
    """Map each node to the first node with the same prefix in its group, which may be the node itself.

    Only samples may have equal prefixes: a beam holds each prefix once.
    """
    first: dict[tuple[int, int | None, int], int] = {}
    same: dict[int, int] = {}
    for node in sorted(trace.nodes.values(), key=lambda node: node.step):
        parent = None if node.parent is None else same[node.parent]
        same[node.id] = first.setdefault((node.group, parent, node.token_id), node.id)
    return same


def tree_y_by_node(trace: DecodingTrace) -> dict[int, float]:
    """Return the y of every node by id. Equal prefixes share it; neighbours are at least 1 apart."""
    same = same_prefix(trace)
    y_by_node: dict[int, float] = {}
    lowest = 0.0
    for group in tree_groups(trace):
        in_group = _group_y_by_node(trace, group, same)
        # The first group's best path is at 0; each further group starts below the groups before.
        shift = lowest - GROUP_GAP - max(in_group.values()) if y_by_node else 0.0
        y_by_node.update({node_id: y + shift for node_id, y in in_group.items()})
        lowest = min(y_by_node.values())
    return {node_id: y_by_node[first] for node_id, first in same.items()}


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


def _group_y_by_node(trace: DecodingTrace, group: int, same: Mapping[int, int]) -> dict[int, float]:
    """Return the y of the first node of each prefix of a group, by its id."""
    spine = [same[node.id] for node in trace.path(best_of_group(trace, group).id)]
    children = _children(trace, group, same)
    parents = {child: parent for parent, siblings in children.items() for child in siblings}
    above, below = _branches(spine, children)
    y_by_node = dict.fromkeys(spine, 0.0)
    for sign, branches in ((1.0, above), (-1.0, below)):
        columns = _columns(branches, children, len(trace.steps))
        distances = _distances(columns, parents)
        y_by_node.update({node_id: sign * distance for node_id, distance in distances.items()})
    return y_by_node


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
            fullest = [max((load[index] + size[index] for index in size), default=0) for load in loads]
            side = int(fullest[1] < fullest[0])
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


def _distances(columns: Sequence[Sequence[int]], parents: Mapping[int, int | None]) -> dict[int, float]:
    """Return the distance of each node of one side from the best path.

    A node is as far out as its parent. If another node is there, it is farther out; if the nodes after it
    would then lie outside the fullest column, it is nearer.
    """
    limit = max((len(column) for column in columns), default=0)
    distances: dict[int, float] = {}
    for column in columns:
        distance = 0.0
        for index, node_id in enumerate(column):
            parent = parents[node_id]
            of_parent = distances.get(parent, 0.0) if parent is not None else 0.0
            distance = min(max(of_parent, distance + 1), limit - (len(column) - 1 - index))
            distances[node_id] = distance
    return distances

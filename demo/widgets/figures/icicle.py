"""The layout of the icicle: each prefix lies under its parent, as wide as it is probable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from demo.widgets.figures.prefixes import ROOT, PrefixTree, prefix_tree
from models.decoding.trace import DecodingTrace


class BlockKind(str, Enum):
    """How much is known about the continuations of a prefix."""

    EXPLORED = "explored"
    ENDED = "ended"
    UNEXPLORED = "unexplored"
    UNNAMED = "unnamed"  # all next tokens outside the tree, together


@dataclass(frozen=True)
class IcicleBlock:
    """A piece of the icicle, as wide as it is probable."""

    prefix: int  # index in the tree; of an unnamed block, of what it begins with
    kind: BlockKind
    left: float  # 0 to 1
    width: float  # probability
    depth: int  # row, 0 for the root

    @property
    def centre(self) -> float:
        """The horizontal position at which paths run through it."""
        return self.left + self.width / 2


@dataclass(frozen=True)
class ProbabilityMass:
    """The icicle of a trace."""

    tree: PrefixTree
    blocks: tuple[IcicleBlock, ...]  # parents before children
    through: dict[int, int]  # hypotheses that run through a prefix, by index; prefixes without any are absent
    depth: int  # rows below the root


def probability_mass(trace: DecodingTrace) -> ProbabilityMass | None:
    """Return the icicle of a trace; None for a trace without candidates."""
    tree = prefix_tree(trace)
    if tree is None:
        return None
    through = Counter(
        step.index for end in tree.hypotheses for step in (tree.prefixes[ROOT], *tree.path(end))
    )
    blocks = tuple(_blocks(tree))
    return ProbabilityMass(tree, blocks, dict(through), max(block.depth for block in blocks))


def _blocks(tree: PrefixTree) -> Iterator[IcicleBlock]:
    """Yield the children of each block side by side, the most probable first and the unnamed rest last."""
    lefts = {ROOT: 0.0}
    for prefix in tree.prefixes:
        left = lefts[prefix.index]
        open_kind = BlockKind.EXPLORED if prefix.explored else BlockKind.UNEXPLORED
        kind = BlockKind.ENDED if prefix.ended else open_kind
        yield IcicleBlock(prefix.index, kind, left, prefix.mass, prefix.depth)
        for child in prefix.children:
            lefts[child] = left
            left += tree.prefixes[child].mass
        if prefix.rest > 0:
            yield IcicleBlock(prefix.index, BlockKind.UNNAMED, left, prefix.rest, prefix.depth + 1)

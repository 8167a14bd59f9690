"""Probability mass: the model's probability over prefixes, explored, ended or unknown.

The figure is an icicle: each prefix lies under its parent, and the width of its block is the probability that
an output begins with it. The width of a block that ends in grey is a bound, since no output is more probable
than any of its prefixes (Stahlberg and Byrne 2019 prove modes so).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from demo.i18n import in_page, later, quoted, say
from demo.i18n.display import chances_text, display_token, percent_text, plotly_text
from demo.widgets.figures.drawing import bar_trace, chart_layout, legend_above, plain_axis, scatter_trace
from demo.widgets.figures.figure import LIGHT, Figure
from demo.widgets.figures.prefixes import ROOT, Prefix, PrefixTree, prefix_tree
from demo.widgets.figures.trace_figure import HideablePart, TraceFigure, drawing
from models.decoding.status import Stop
from models.decoding.strategies import description_of
from models.decoding.trace import DecodingTrace

MIN_BLOCK_WIDTH = 3e-4  # share of the width; narrower blocks are left out unless on a hypothesis's path
MAX_BLOCKS = 1500
MAX_LABELS = 160  # blocks that carry their token, the widest; Plotly measures each text
MAX_SHOWN_TOKENS = 6  # tokens of a prefix in a sentence
PATH_WIDTHS = (1.0, 2.0, 3.5)  # pixels of a path through few, some and most hypotheses
ROW_HEIGHT, LOW_ROW_HEIGHT, MANY_ROWS = 30, 21, 24  # pixels; rows from which they are lower
HATCHING = {"shape": "/", "size": 5, "solidity": 0.2, "fgcolor": LIGHT.muted, "bgcolor": LIGHT.grid}
# Pixels around the plot. Plotly makes room for a legend of several rows.
LEFT, RIGHT, TOP, BOTTOM = 50, 12, 50, 34


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


# The name of each kind in the legend, and its fill.
BLOCKS: dict[BlockKind, tuple[str, dict[str, Any]]] = {
    BlockKind.EXPLORED: (later("asked about"), {"color": LIGHT.edge}),
    BlockKind.ENDED: (later("whole output"), {"color": LIGHT.output}),
    BlockKind.UNEXPLORED: (later("seen, but not asked about"), {"color": LIGHT.grid}),
    BlockKind.UNNAMED: (later("everything else"), {"color": LIGHT.grid, "pattern": HATCHING}),
}
# Under the plot: `y` is its upper edge.
LEGEND = legend_above(
    -0.01, yanchor="top", itemclick=False, itemdoubleclick=False, font={"color": LIGHT.muted}
)


def probability_mass_figure(mass: ProbabilityMass) -> Figure:
    """Return the icicle; `customdata` of a block are the ids of its prefix's candidates.

    The script that shows the figure writes the hover texts, which would be half of its size.
    """
    blocks = _visible(mass)
    widest = sorted((block.width for block in blocks), reverse=True)
    least = widest[MAX_LABELS] if len(widest) > MAX_LABELS else 0.0
    bars = [_bars(mass, kind, [block for block in blocks if block.kind is kind], least) for kind in BlockKind]
    rows = mass.depth + 1
    height = TOP + BOTTOM + rows * (LOW_ROW_HEIGHT if rows >= MANY_ROWS else ROW_HEIGHT)
    title = say("probability of beginning so")
    layout = chart_layout(
        height,
        (LEFT, RIGHT, TOP, BOTTOM),
        min_width=320,
        barmode="overlay",
        bargap=0.12,
        uniformtext={"mode": "hide", "minsize": 10},
        legend=LEGEND,
        xaxis=plain_axis(title, "right", standoff=4, side="top", range=[0, 1], tickformat=".0%", nticks=6),
        yaxis=_steps(mass),
    )
    return Figure([*(bar for bar in bars if bar["x"]), *_paths(mass)], layout)


def _visible(mass: ProbabilityMass) -> list[IcicleBlock]:
    """Return the widest blocks, and those on the path of a hypothesis however narrow."""
    on_path = [block for block in mass.blocks if _is_on_path(mass, block)]
    wide = [block for block in mass.blocks if block.width >= MIN_BLOCK_WIDTH and not _is_on_path(mass, block)]
    return [*on_path, *sorted(wide, key=lambda block: -block.width)[:MAX_BLOCKS]]


def _is_on_path(mass: ProbabilityMass, block: IcicleBlock) -> bool:
    return block.kind is not BlockKind.UNNAMED and block.prefix in mass.through


def _bars(
    mass: ProbabilityMass, kind: BlockKind, blocks: Sequence[IcicleBlock], least: float
) -> dict[str, Any]:
    prefixes, (name, fill) = mass.tree.prefixes, BLOCKS[kind]
    labels = [
        plotly_text(prefixes[block.prefix].token)
        if block.depth and block.width >= least and kind is not BlockKind.UNNAMED
        else ""
        for block in blocks
    ]
    return bar_trace(
        orientation="h",
        name=say(name),
        meta=kind.value,
        base=[round(block.left, 6) for block in blocks],
        x=[round(block.width, 6) for block in blocks],
        y=[block.depth for block in blocks],
        text=labels,
        textposition="inside",
        insidetextanchor="start",
        insidetextfont={"color": LIGHT.surface if kind is BlockKind.ENDED else LIGHT.text},
        textangle=0,
        marker={**fill, "line": {"width": 0.5, "color": LIGHT.surface}},
        customdata=[
            [] if kind is BlockKind.UNNAMED else list(prefixes[block.prefix].nodes) for block in blocks
        ],
        hover="%{hovertext}",
    )


def _paths(mass: ProbabilityMass) -> Iterator[dict[str, Any]]:
    """Yield the hypotheses as lines; the more of them share a piece, the thicker it is."""
    centres = {block.prefix: block for block in mass.blocks if block.kind is not BlockKind.UNNAMED}
    most = max(mass.through.values(), default=1)
    for position, width in enumerate(PATH_WIDTHS):
        xs: list[float | None] = []
        ys: list[int | None] = []
        for index, count in mass.through.items():
            parent = mass.tree.prefixes[index].parent
            if parent is None or _weight(count, most) != position:
                continue
            ends = centres[parent], centres[index]
            xs += [*(round(block.centre, 6) for block in ends), None]
            ys += [*(block.depth for block in ends), None]
        if xs:
            line = {"width": width, "color": LIGHT.text}
            common = {"meta": "path", "hoverinfo": "skip", "showlegend": False}
            yield scatter_trace("lines", x=xs, y=ys, line=line, opacity=0.55, **common)


def _weight(count: int, most: int) -> int:
    share = count / most
    return 0 if count == 1 or share < 0.2 else 1 if share < 0.6 else 2


def _steps(mass: ProbabilityMass) -> dict[str, Any]:
    forced_length, every = mass.tree.forced_length, max(1, mass.depth // 20)
    steps = list(range(every, mass.depth + 1, every))
    return plain_axis(
        ticks=([0, *steps], [say("start"), *(str(step + forced_length) for step in steps)]),
        range=[mass.depth + 0.5, -0.5],
        showgrid=False,
        fixedrange=True,
    )


def mass_caption(trace: DecodingTrace) -> str:
    """Say how much probability the best output holds, and whether a better one may be in the grey."""
    tree = prefix_tree(trace)
    if tree is None:
        return ""
    best = tree.best
    if best is None:
        return say("No whole output was seen: all of the probability is still open.")
    length = best.depth
    sentence = say(
        "The most probable output that was seen holds {chances}: {count} tokens of {mean} each on average, "
        "multiplied. All outputs that were seen hold {seen}; the grey holds the rest.",
        chances=chances_text(best.log_prob),
        count=length,
        mean=percent_text(math.exp(best.log_prob / length)),
        seen=percent_text(min(tree.total, 1.0)),
    )
    return f"{sentence} {_verdict(trace, tree)}"


def _verdict(trace: DecodingTrace, tree: PrefixTree) -> str:
    bound, prefix = tree.bound
    explored = trace.exploration
    if description_of(trace.strategy).complete and explored is not None and explored.stop is Stop.COMPLETE:
        return say(description_of(trace.strategy).proof)
    if prefix is None:
        return say("Nothing is unexplored: it is the most probable of all.")
    values = {"prefix": _prefix_text(tree, prefix), "bound": chances_text(bound)}
    if tree.settled:
        return say(
            "No output in the grey has more than {bound}, the bound after {prefix}, "
            "so nothing is more probable.",
            **values,
        )
    return say(
        "The grey may hide a better one: after {prefix} one output could still have up to {bound}, "
        "and the search cannot know.",
        **values,
    )


def _prefix_text(tree: PrefixTree, prefix: Prefix) -> str:
    tokens = [display_token(step.token) for step in tree.path(prefix.index)]
    if not tokens:
        return say("the start")
    return quoted(" ".join(["…", *tokens[-MAX_SHOWN_TOKENS:]] if len(tokens) > MAX_SHOWN_TOKENS else tokens))


FIGURE = TraceFigure(
    name="mass",
    title="Probability mass",
    label="Probability of every beginning of an output; the list of candidates shows the same "
    "data as buttons",
    called=in_page("probability mass"),
    part=HideablePart("mass", in_page("the probability mass")),
    draw=drawing(probability_mass, probability_mass_figure),
    caption=mass_caption,
    position=74,
)

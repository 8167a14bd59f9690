"""The view of attention heads: their weights, norms and costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import exp
from typing import TYPE_CHECKING

from demo.i18n import in_page, later, quoted, say
from demo.i18n.display import number_text, percent_text, plotly_text, small_percent_text
from demo.inspect.heads.grid import HeadGrid, Tile, fitting, head_grid_figure, one_head_figure
from demo.inspect.view import Inspected, InspectView
from demo.widgets.answers.content import Cell, Chart, Content, NotHereError, Table

if TYPE_CHECKING:
    from models.inspection.heads import Grid, Head, Heads

WEIGHT, NORM = "weight", "norm"
COSTLIEST, ROLLOUT = "costliest", "rollout"
NO_COST_NATS = 0.01  # nats: a smaller loss counts as none
ATTENTIONS = {
    "cross": later("decoder to source"),
    "encoder": later("source to itself"),
    "decoder": later("output to itself"),
}
POSITIONS = {  # positions of `models.inspection.heads.Described`
    "diagonal": later("the diagonal and its neighbours"),
    "itself": later("the token itself"),
    "previous": later("the token before it"),
    "next": later("the token after it"),
    "second": later("the second token after it"),
    "first": later("the first token"),
    "end": later("the last token"),
}


def compute(inspected: Inspected) -> Content:
    """A grid of all heads, one of them large, and a line of numbers for each."""
    from models.inspection.attentions import kinds
    from models.inspection.heads import PREDICTED, READ, measure_heads

    available = kinds(inspected.checkpoint.model)
    if not available:
        raise NotHereError(
            "no_attention_heads", "This network has no attention, so it has no heads. Choose one that has."
        )
    options = [(kind, say(ATTENTIONS[kind])) for kind in available]
    kind = inspected.choose("attention", say("attention"), options)
    reading = PREDICTED
    if kind != "encoder":
        readings = [(PREDICTED, say("the word that is written")), (READ, say("the word that is read"))]
        reading = inspected.choose("reading", say("a row stands for"), readings)
    heads = measure_heads(inspected.prediction, kind, inspected.output, reading)
    quantity = _quantity(inspected, heads)
    grid = _grid(inspected, heads, quantity)
    tile = _enlarged_tile(inspected, heads, grid)
    alone = fitting(replace(grid, lines=[[tile]], tile_titles=[tile.title]))
    large = one_head_figure(alone, _axes(heads), steps=kind != "encoder")
    enlarged = next((head for head in heads.every if _name(head) == tile.key), heads.costliest)
    described = " ".join(filter(None, (_description(enlarged), _without(inspected, heads, enlarged))))
    sentences = [_finding(inspected, heads), described]
    if enlarged is not heads.costliest:
        sentences.reverse()  # the reader's choice comes first
    return Content(
        [*sentences, *_trust(heads, quantity)],
        [
            Chart("heads", say("All heads; click one to enlarge it"), head_grid_figure(fitting(grid))),
            Chart("head", tile.title, large),
        ],
        _table(heads),
        facts=_facts(heads) | _weights(enlarged),
    )


def _facts(heads: Heads) -> dict[str, float | str]:
    """The token's probability without each head, and each head's weight on each kind of position."""
    result: dict[str, float | str] = {"token_probability": exp(heads.value)}
    for head in heads.every:
        suffix = f"{head.layer + 1}_{head.head + 1}"
        result[f"without_{suffix}"] = exp(heads.value - head.cost)
        result |= {f"{kind}_{suffix}": share for kind, share in head.statistics.shares}
    costliest = heads.costliest
    result["without_costliest"] = exp(heads.value - costliest.cost)
    return result | {"costliest_layer": costliest.layer + 1, "costliest_head": costliest.head + 1}


def _weights(head: Head) -> dict[str, float]:
    """Each weight of the enlarged head by its row and its column, both from 1: `weight_2_3`."""
    return {
        f"weight_{row}_{column}": weight
        for row, weights in enumerate(head.weights, 1)
        for column, weight in enumerate(weights, 1)
    }


def _quantity(inspected: Inspected, heads: Heads) -> str:
    """Weights, or norms if they are known for the network."""
    if any(head.norms is None for head in heads.every):
        return WEIGHT
    values = [(WEIGHT, say("weight: where it looks")), (NORM, say("norm: how much that moves"))]
    return inspected.choose("value", say("shown"), values)


def _grid(inspected: Inspected, heads: Heads, quantity: str) -> HeadGrid:
    """A tile for each head, and the rollout of the layers so far at the end of each line."""
    rows, columns = _labels(inspected, heads)
    norms = [head.norms for head in heads.every if head.norms is not None and quantity == NORM]
    highest = max((max(map(max, grid)) for grid in norms), default=1.0) or 1.0
    lines = [
        [Tile(_name(head), _title(head), _cells(head, quantity), highest) for head in layer]
        for layer in heads.layers
    ]
    for number, cells in enumerate(heads.rollout):
        title = say("layers up to {layer} together", layer=number + 1)
        lines[number].append(Tile(f"{number + 1}.{ROLLOUT}", title, cells, 1.0))
    count = max(len(layer) for layer in heads.layers)
    names = [say("head {head}", head=number + 1) for number in range(count)]
    return HeadGrid(
        lines,
        [say("layer {layer}", layer=number + 1) for number in range(len(lines))],
        [*names, say("rollout")] if heads.rollout else names,
        rows,
        columns,
        marked=None if heads.kind == "encoder" else min(inspected.step, len(rows) - 1),
    )


def _labels(inspected: Inspected, heads: Heads) -> tuple[list[str], list[str]]:
    """Labels of rows and columns, escaped for Plotly."""
    source = [plotly_text(label) for label in inspected.source_labels]
    output = [plotly_text(label) for label in inspected.output_labels]
    inputs = [plotly_text(inspected.prefix_labels[0]), *output[:-1]]
    if heads.kind == "encoder":
        return source, source
    return output if heads.reading == "written" else inputs, source if heads.kind == "cross" else inputs


def _axes(heads: Heads) -> tuple[str, str]:
    """Titles of columns and rows."""
    if heads.kind == "encoder":
        return say("source, looked at"), say("source, looks")
    columns = say("source") if heads.kind == "cross" else say("output, looked at")
    return columns, say("output, written") if heads.reading == "written" else say("output, read")


def _enlarged_tile(inspected: Inspected, heads: Heads, grid: HeadGrid) -> Tile:
    """The heatmap that the reader clicked, at first that of the costliest head."""
    tiles = {tile.key: tile for line in grid.lines for tile in line}
    options = [(key, tile.title) for key, tile in tiles.items()]
    options.insert(0, (COSTLIEST, say("the one that costs most")))
    key = inspected.choose("head", say("enlarged"), options)
    return tiles[_name(heads.costliest) if key == COSTLIEST else key]


def _name(head: Head) -> str:
    return f"{head.layer + 1}.{head.head + 1}"


def _title(head: Head) -> str:
    return say("layer {layer}, head {head}", layer=head.layer + 1, head=head.head + 1)


def _cells(head: Head, quantity: str) -> Grid:
    return head.norms if quantity == NORM and head.norms is not None else head.weights


def _finding(inspected: Inspected, heads: Heads) -> str:
    """A sentence about the head that this token needs most."""
    head, token = heads.costliest, quoted(inspected.token)
    if head.cost < NO_COST_NATS:
        return say(
            "{token} depends on no single head: without any one of them it is hardly less probable.",
            token=token,
        )
    rival = inspected.prediction.question.rival
    if rival is not None:
        return say(
            "{token} depends most on {head}: its lead over {rival} is {before} nats, without this head "
            "{after}.",
            token=token,
            head=_title(head),
            rival=quoted(inspected.label(rival)),
            before=number_text(heads.value),
            after=number_text(heads.value - head.cost),
        )
    return say(
        "{token} depends most on {head}: without this head its probability falls from {before} to {after}.",
        token=token,
        head=_title(head),
        before=small_percent_text(exp(heads.value)),
        after=small_percent_text(exp(heads.value - head.cost)),
    )


def _description(head: Head) -> str:
    """A sentence about a head's weights in the whole text."""
    position, share = head.statistics.strongest
    return say(
        "In this sentence {head} puts {percent} of its weight on {place}. Its entropy is {entropy} nats; "
        "with equal weights it would be {most}.",
        head=_title(head),
        percent=percent_text(share),
        place=say(POSITIONS[position]),
        entropy=number_text(head.statistics.entropy),
        most=number_text(head.statistics.widest),
    )


def _without(inspected: Inspected, heads: Heads, head: Head) -> str:
    """The token's probability without a head; empty if the finding says it, or for a lead over a rival."""
    is_in_finding = head is heads.costliest and head.cost >= NO_COST_NATS
    if is_in_finding or inspected.prediction.question.rival is not None:
        return ""
    return say(
        "Without {head}, {token} has {percent}.",
        head=_title(head),
        token=quoted(inspected.token),
        percent=small_percent_text(exp(heads.value - head.cost)),
    )


def _trust(heads: Heads, quantity: str) -> Iterator[str]:
    """Caveats: what the numbers do not say."""
    if heads.rollout:
        yield say(
            "Rollout multiplies the layers up to here. All heads count alike, and half of each token "
            "bypasses the attention (Abnar and Zuidema 2020)."
        )
    if quantity == NORM:
        yield say(
            "A norm is a weight times the length of the vector that it multiplies: a head may look at a "
            "token that contributes nothing (Kobayashi et al. 2020)."
        )
    if heads.reading == "read":
        yield say(
            "A weight often matches an alignment of words better for the word that is read in "
            "its row than for the word that is written (Kobayashi et al. 2020)."
        )
    yield say(
        "Where a head looks and what is lost without it need not agree: other heads may replace it "
        "(Michel et al. 2019), and one sentence seldom shows what a head does elsewhere."
    )


def _table(heads: Heads) -> Table:
    """A line for each head, the costliest first."""
    rows: list[list[Cell]] = []
    for head in sorted(heads.every, key=lambda head: -head.cost):
        position, share = head.statistics.strongest
        strongest = say(POSITIONS[position]), percent_text(share)
        rows.append([_title(head), head.cost, *strongest, head.statistics.entropy])
    columns = [say("head"), say("nats lost without it"), say("strongest place"), say("share of its weight")]
    return Table([*columns, say("entropy, nats")], rows)


VIEW = InspectView(
    "heads",
    in_page("Layers and heads"),
    later("Where does each head look, and which one is needed here?"),
    position=20,
    compute=compute,
    fits=lambda network: getattr(network, "attention", "") != "none",
    paper="Kobayashi et al. 2020",
)

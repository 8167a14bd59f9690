"""The view of predictions after each layer, for every step of the output."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import TYPE_CHECKING, Any

from demo.i18n import in_page, later, quoted, say
from demo.i18n.display import percent_text, plotly_text
from demo.inspect.view import Inspected, InspectView
from demo.widgets.answers.content import Cell, Chart, Content, Table
from demo.widgets.figures.drawing import chart_layout, heatmap_trace, label_ticks, note
from demo.widgets.figures.figure import LIGHT, Figure
from models.networks.transformer.config import TransformerConfig

if TYPE_CHECKING:
    from models.inspection.lens import LayerReadout, Layers

DECODER, ENCODER = "decoder", "encoder"
ROW, MIN_COLUMN = 34, 58  # pixels
LEFT, RIGHT, TOP, BOTTOM = 104, 16, 44, 12  # pixels around the cells


def compute(inspected: Inspected) -> Content:
    """A chart of layers against steps, and the output decoded from each layer of the encoder."""
    from models.inspection.lens import read_out

    sides = [(DECODER, say("the decoder's layers")), (ENCODER, say("the encoder's layers"))]
    side = inspected.choose("side", say("read out"), sides)
    source, bos_id = inspected.prediction.question.source, inspected.checkpoint.tokenizer.bos_id
    layers = read_out(inspected.checkpoint.model, source, inspected.output, bos_id, encoder=side == ENCODER)
    names = layer_names(len(layers), side)
    return Content(
        [_finding(inspected, layers, names), _trust(side)],
        [Chart("lens", say("What each layer would write"), lens_figure(inspected, layers, names))],
        _rewritten(inspected, names) if side == ENCODER else _of_step(inspected, layers, names),
    )


def layer_names(count: int, side: str) -> list[str]:
    """Names of the rows, from the embeddings to the last layer."""
    last = say("whole network") if side == ENCODER else say("after layer {number}", number=count - 1)
    between = [say("after layer {number}", number=index) for index in range(1, count - 1)]
    return [say("before layer 1"), *between, last]


def lens_figure(inspected: Inspected, layers: Layers, names: Sequence[str]) -> Figure:
    """The likeliest token of each layer and step; the colour is the probability of the output's token."""
    steps = range(len(inspected.output))
    heatmap = heatmap_trace(
        [[round(_probability(reading), 4) for reading in row] for row in layers],
        gap=1,
        x=list(steps),
        y=list(range(len(layers))),
        text=[[_hover(inspected, reading) for reading in row] for row in layers],
        hover="%{text}",
        customdata=[[["step", step] for step in steps] for _ in layers],
    )
    labels = [plotly_text(token, 10) for token in inspected.output_labels]
    ends = {"x0": inspected.step - 0.5, "x1": inspected.step + 0.5, "y0": -0.5, "y1": len(layers) - 0.5}
    layout = chart_layout(
        TOP + BOTTOM + ROW * len(layers),
        (LEFT, RIGHT, TOP, BOTTOM),
        min_width=LEFT + RIGHT + MIN_COLUMN * len(steps),
        xaxis=label_ticks(labels, color=LIGHT.output, side="top"),
        yaxis=label_ticks(names, autorange="reversed"),
        annotations=[
            _first_choice(inspected, row[step], step, index)
            for index, row in enumerate(layers)
            for step in steps
        ],
        shapes=[{"type": "rect", **ends, "line": {"color": LIGHT.text, "width": 2}}],
    )
    return Figure([heatmap], layout)


def _first_choice(inspected: Inspected, reading: LayerReadout, step: int, layer: int) -> dict[str, Any]:
    colour = LIGHT.surface if _probability(reading) > 0.6 else LIGHT.text
    text = plotly_text(inspected.label(reading.top[0]), 9)
    return note(text, step, layer, font={"size": 11, "color": colour})


def _hover(inspected: Inspected, reading: LayerReadout) -> str:
    best = [
        f"{plotly_text(inspected.label(token))} {percent_text(exp(value))}"
        for token, value in zip(reading.top, reading.log_probs, strict=True)
    ]
    of_output = say(
        "written token: rank {rank}, {percent}",
        rank=reading.rank,
        percent=percent_text(_probability(reading)),
    )
    return "<br>".join([*best, of_output])


def _probability(reading: LayerReadout) -> float:
    return exp(reading.log_prob)


def _finding(inspected: Inspected, layers: Layers, names: Sequence[str]) -> str:
    """A sentence about the layer from which on the step's token is the first choice."""
    step = min(inspected.step, len(inspected.output) - 1)
    ranks = [row[step].rank for row in layers]
    token = quoted(inspected.output_labels[step])
    if ranks[-1] != 1:
        return say("{token} is the network's choice number {rank} here.", token=token, rank=ranks[-1])
    first = next((layer for layer in range(len(ranks), 0, -1) if ranks[layer - 1] != 1), 0)
    if first == 0:
        return say("{token} is the first choice from the very beginning.", token=token)
    return say(
        "{token} is the first choice from here on: {layer}. One layer earlier it has rank {rank}.",
        token=token,
        layer=names[first],
        rank=ranks[first - 1],
    )


def _trust(side: str) -> str:
    if side == ENCODER:
        return say(
            "The whole decoder reads the vectors of an earlier layer of the encoder (Langedijk et al. "
            "2023). It was trained with the last layer alone: where it fails, the layer may still hold "
            "the information."
        )
    return say(
        "The output layer reads these vectors, though it was trained with the last layer alone. Layers may "
        "rotate the space of their vectors, so early rows can mislead (Belrose et al. 2023)."
    )


def _of_step(inspected: Inspected, layers: Layers, names: Sequence[str]) -> Table:
    """The predictions at the current step, layer by layer."""
    step = min(inspected.step, len(inspected.output) - 1)
    rows: list[list[Cell]] = [
        [name, inspected.label(row[step].top[0]), row[step].rank, percent_text(_probability(row[step]))]
        for name, row in zip(names, layers, strict=True)
    ]
    token = quoted(inspected.output_labels[step])
    head = [say("layer"), say("would write"), say("rank of {token}", token=token), say("its probability")]
    return Table(head, rows)


def _rewritten(inspected: Inspected, names: Sequence[str]) -> Table:
    """The greedy output of the decoder when it reads each layer of the encoder."""
    from models.decoding.decode import decode
    from models.decoding.options import DecodingOptions
    from models.decoding.strategies.greedy import Greedy
    from models.inspection.lens import after_encoder_layer

    checkpoint = inspected.checkpoint
    options = DecodingOptions(strategy=Greedy.name, max_length=max(2, len(inspected.output) + 4))
    rows = []
    for layer, name in enumerate(names):
        model = after_encoder_layer(checkpoint.model, layer)
        trace = decode(model, checkpoint.tokenizer, inspected.text, options)
        rows.append([name, trace.hypotheses[0].text if trace.hypotheses else ""])
    return Table([say("the decoder reads"), say("and writes, by greedy search")], rows)


VIEW = InspectView(
    "lens",
    in_page("Layers read out"),
    later("What would the network write if it ended after this layer?"),
    position=30,
    compute=compute,
    fits=lambda network: isinstance(network, TransformerConfig),
    paper="Langedijk et al. 2023",
)

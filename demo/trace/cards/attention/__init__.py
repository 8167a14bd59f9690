"""The decoder's attention: at one step, at all of them, or over the picture that it read."""

from __future__ import annotations

from typing import Any

from demo.i18n import in_page, say
from demo.trace.trace_card import PROBABILITIES, Card
from demo.widgets.captions.trace import NO_ATTENTION, picture_attention_caption, picture_cells
from demo.widgets.figures.attention import attention_figure, attention_map
from demo.widgets.figures.drawing import with_arrow
from demo.widgets.figures.trace_figure import HideablePart
from demo.widgets.figures.tree_layout import best_node
from demo.widgets.view.assets import asset
from models.decoding.trace import DecodingTrace


def _heatmap(trace: DecodingTrace) -> Any:
    """The frame of the heatmap; the browser fills in the weights of the chosen path."""
    best = best_node(trace)
    attention = attention_map(trace, best.id) if best is not None else None
    if attention is None:
        return None
    figure = attention_figure(attention, rows=len(trace.steps))
    if picture_cells(trace):
        figure.layout["xaxis"]["title"]["text"] = with_arrow(say("cells of the picture: row,column"), "right")
    figure.data[0]["z"] = None
    return figure


def _attention(trace: DecodingTrace) -> list[str]:
    """A sentence for each hypothesis about the cells of a picture; of a text, the chart says enough."""
    caption = picture_attention_caption if picture_cells(trace) else lambda *_: ""
    return [caption(trace, hypothesis.node) for hypothesis in trace.hypotheses]


CARD = Card(
    name="attention",
    position=95,
    html=asset("trace/cards/attention/attention.html"),
    part=HideablePart("attention", in_page("the attention"), ("decode", "compare")),
    hidden_by=(),
    parts=(HideablePart("heatmap", in_page("the heatmap of all steps")),),
    covers={
        "heatmap": ".tv-heatmap-scroll",
        "edit": ".tv-edit-attention, .tv-row-editor",
        PROBABILITIES: ".tv-src small, .tv-picture-cells .tv-number, .tv-picture-readout, "
        ".tv-strongest-label",
    },
    pane="right",
    title="Attention",
    script="trace/cards/attention/attention.js",
    figures={"attention": _heatmap},
    captions={"attention": _attention, "none": lambda _: say(NO_ATTENTION)},
    downloads={"attention": in_page("attention")},
)

"""The output as chips, with the model's probabilities and its score."""

from __future__ import annotations

from demo.i18n import in_page
from demo.trace.trace_card import PROBABILITIES, Card
from demo.widgets.captions.output import result_captions, warnings_caption, words_caption
from demo.widgets.captions.search import unfinished_caption
from demo.widgets.captions.trace import output_caption
from demo.widgets.figures.trace_figure import HideablePart
from demo.widgets.view.assets import asset
from models.decoding.trace import DecodingTrace


def _output(trace: DecodingTrace) -> list[str]:
    return [output_caption(trace.path(hypothesis.node)) for hypothesis in trace.hypotheses]


CARD = Card(
    name="output",
    position=10,
    html=asset("trace/cards/output/output.html"),
    part=HideablePart("output", in_page("the output")),
    hidden_by=(),
    covers={
        PROBABILITIES: ".tv-out small, .tv-score, [data-caption=output], [data-caption=must_contain], "
        "[data-caption=doubts]"
    },
    script="trace/cards/output/output.js",
    captions={
        "result": result_captions,
        "output": _output,
        "must_contain": words_caption,
        "doubts": warnings_caption,
        "unfinished": unfinished_caption,
    },
)

"""The cards of which Python writes no more than captions: their scripts draw the trace."""

from __future__ import annotations

from demo.i18n import in_page
from demo.trace.trace_card import LINE, PROBABILITIES, Card
from demo.widgets.captions.output import result_captions, warnings_caption, words_caption
from demo.widgets.captions.search import unfinished_caption
from demo.widgets.captions.trace import edit_caption, output_caption
from demo.widgets.figures.trace_figure import HideablePart
from demo.widgets.view.assets import asset

# The output as chips, with the model's probabilities and its score.
OUTPUT = Card(
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
        "output": lambda trace: [output_caption(trace.path(item.node)) for item in trace.hypotheses],
        "must_contain": words_caption,
        "doubts": warnings_caption,
        "unfinished": unfinished_caption,
    },
)

# The bar that steps through the output.
STEPPER = Card(
    name="stepper",
    position=LINE,
    html=asset("trace/cards/stepper/stepper.html"),
    part=HideablePart("stepper", in_page("the stepper")),
    hidden_by=(),
    attributes='class="tv-stepper" role="group" aria-label="Step through the output"',
    script="trace/cards/stepper/stepper.js",
)

# The original and its edits, one below the other.
VERSIONS = Card(
    name="versions",
    position=56,
    pane="left",
    title="What if",
    html=asset("trace/cards/versions/versions.html"),
    hidden_by=("edit",),
    covers={PROBABILITIES: ".tv-versions-key, .tv-version .tv-number"},
    captions={"edit": edit_caption},
)

# The reasons for the token of this step: the contribution of each token read, by several methods.
WHY = Card(
    name="why",
    position=96,
    pane="right",
    title="Why",
    html=asset("trace/cards/why/why.html"),
    part=HideablePart("why", in_page("why a token was written")),
    script="trace/cards/why/why.js",
)

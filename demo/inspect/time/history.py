"""The view of contributions of source and prefix to each token of the output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, fsum
from typing import TYPE_CHECKING, Any

from demo.i18n import in_page, later, message_text, quoted, say
from demo.i18n.display import number_text, percent_text, plotly_text, small_percent_text
from demo.inspect.view import Inspected, InspectView
from demo.widgets.answers.content import Cell, Chart, Content, NotHereError, Table
from demo.widgets.figures.drawing import (
    CHARACTER_WIDTH,
    bar_trace,
    bars_across,
    chart_layout,
    labelled_axis,
    legend_above,
)
from demo.widgets.figures.figure import LIGHT, Figure

if TYPE_CHECKING:
    from models.inspection.contributions import Contributions, SourceGain

EXAMPLES, TYPED = "examples", "typed"
MAX_SOURCES = 12
CHART_HEIGHT, BAR_HEIGHT = 210, 20  # pixels of a chart over the steps, and of a line of one over tokens
LEFT, RIGHT, TOP, BOTTOM = 54, 12, 30, 62  # pixels around a chart over the steps
MIN_COLUMN_WIDTH = 44  # pixels of a step, at least


def compute(inspected: Inspected) -> Content:
    """Shares over the steps, the parts of the current step, and the gain by the source over others."""
    from models.inspection.contributions import can_be_traced, contributions, source_gain

    output = _output(inspected)
    labels = [inspected.label(token) for token in output]
    others, errors = _others(inspected)
    shares = None  # ALTI+ does not apply to every network
    if can_be_traced(inspected.checkpoint.model):
        read = (inspected.prediction.question.prefix[0], *output[:-1])
        shares = contributions(inspected.prediction, read)
    if shares is None and not others:
        return Content([*errors, say("Type other sources to compare with, one a line."), *_trust(None, None)])
    gain = source_gain(inspected.prediction, output, list(others.values())) if others else None
    sentences, charts = [], []
    if shares is not None:
        sentences.append(_share_sentence(inspected, shares))
        figure = shares_figure(inspected, shares, labels)
        charts += [
            Chart("shares", say("Source and history, step by step"), figure),
            Chart("parts", say("Where this token comes from"), parts_figure(inspected, shares)),
        ]
    if gain is not None:
        sentences.append(_worth(inspected, gain))
        charts.append(Chart("gain", say("Value of the source"), gain_figure(inspected, gain, labels)))
    table = None if gain is None else _table(inspected, gain, others)
    return Content([*sentences, *errors, *_trust(shares, gain)], charts, table)


def _output(inspected: Inspected) -> tuple[int, ...]:
    """The current output if it contains the explained token, else the prefix with this token."""
    question, step = inspected.prediction.question, inspected.step
    explained = (*question.prefix[1:], question.token)
    return inspected.output if inspected.output[: step + 1] == explained else explained


def _others(inspected: Inspected) -> tuple[dict[str, tuple[int, ...]], list[str]]:
    """Other sources by their texts, from examples or typed lines, and sentences about unreadable ones."""
    from models.decoding.limits import DecodingError, check_source

    checkpoint, others, errors = inspected.checkpoint, {}, []
    for text in _texts(inspected)[:MAX_SOURCES]:
        try:
            ids = tuple(check_source(checkpoint.model, checkpoint.tokenizer, text).ids)
        except DecodingError as error:
            errors.append(message_text(error))
            continue
        if ids != inspected.prediction.question.source:
            others[text] = ids
    return others, errors


def _texts(inspected: Inspected) -> Sequence[str]:
    """The texts that the reader chooses. Raises NotHereError if there is no choice."""
    config = inspected.checkpoint.config
    options = [(EXAMPLES, say("this checkpoint's examples"))] if config.examples else []
    if not config.reads_pictures:
        options.append((TYPED, say("lines of my own")))
    if not options:
        raise NotHereError("no_other_pictures", "This checkpoint ships no other pictures to compare with.")
    if inspected.choose("others", say("other sources"), options) == EXAMPLES:
        return config.examples
    lines = inspected.text_field("sources", say("one a line")).splitlines()
    return [line for line in lines if line.strip()]


def shares_figure(inspected: Inspected, shares: Contributions, labels: Sequence[str]) -> Figure:
    """Stacked bars for each token: the share of the source, and above it the share of the prefix."""
    source = [round(share, 4) for share in shares.from_source]
    parts = (
        (say("source"), source, LIGHT.source),
        (say("already written"), [round(1 - share, 4) for share in source], LIGHT.output),
    )
    data = [_bars(inspected, values, name, colour, ":.0%") for name, values, colour in parts]
    layout = _over_steps(inspected, labels)
    layout["yaxis"] |= {"range": [0, 1], "tickformat": ".0%"}
    return Figure(data, {**layout, "barmode": "stack", "showlegend": True, "legend": legend_above(1)})


def gain_figure(inspected: Inspected, gain: SourceGain, labels: Sequence[str]) -> Figure:
    """A bar for each token: its gain by the source over other sources, in nats."""
    values = [round(value, 4) for value in gain.gains]
    bars = _bars(inspected, values, say("nats"), LIGHT.source, ":.2f")
    layout = _over_steps(inspected, labels)
    layout["yaxis"] |= {"title": {"text": say("nats"), "standoff": 4}, "zeroline": True}
    return Figure([bars], {**layout, "showlegend": False})


def parts_figure(inspected: Inspected, shares: Contributions) -> Figure:
    """A bar for each token of source and prefix: its share in the current token."""
    step = inspected.step
    source = [plotly_text(label) for label in inspected.source_labels]
    prefix = [plotly_text(label) for label in inspected.prefix_labels]
    sides = (
        (say("source"), shares.source[step], LIGHT.source, 0),
        (say("already written"), shares.prefix[step][: len(prefix)], LIGHT.output, len(source)),
    )
    data = [
        bars_across(
            name,
            colour,
            [round(value, 4) for value in values],
            list(range(first, first + len(values))),
            hover="%{y}: %{x:.1%}",
        )
        for name, values, colour, first in sides
    ]
    labels = [*source, *prefix]
    left = 20 + CHARACTER_WIDTH * max(len(label) for label in labels)
    layout = chart_layout(
        TOP + 30 + BAR_HEIGHT * len(labels),
        (left, RIGHT, TOP, 30),
        min_width=left + RIGHT + 160,
        bargap=0.25,
        legend=legend_above(1),
        xaxis={"tickformat": ".0%", "fixedrange": True, "rangemode": "tozero"},
        yaxis=labelled_axis(labels, down=True),
    )
    return Figure(data, layout)


def _bars(inspected: Inspected, values: Sequence[float], name: str, colour: str, form: str) -> dict[str, Any]:
    """A bar for each step, with the current step in full colour."""
    steps = range(len(values))
    return bar_trace(
        name=name,
        x=list(steps),
        y=list(values),
        marker={"color": colour, "opacity": [1 if index == inspected.step else 0.55 for index in steps]},
        customdata=[["step", step] for step in steps],
        hover=f"%{{x}}<br>{name} %{{y{form}}}",
    )


def _over_steps(inspected: Inspected, labels: Sequence[str]) -> dict[str, Any]:
    return chart_layout(
        CHART_HEIGHT + TOP + BOTTOM,
        (LEFT, RIGHT, TOP, BOTTOM),
        min_width=LEFT + RIGHT + MIN_COLUMN_WIDTH * len(labels),
        bargap=0.15,
        xaxis=labelled_axis([plotly_text(label) for label in labels], color=LIGHT.output, tickangle=-50),
        yaxis={"zerolinecolor": LIGHT.muted, "fixedrange": True},
    )


def _share_sentence(inspected: Inspected, shares: Contributions) -> str:
    """A sentence about the share of the source in the current token and in the whole output."""
    every = shares.from_source
    return say(
        "{percent} of {token} comes from the source, {rest} from what was already written; over the whole "
        "output the source gives {mean}.",
        token=quoted(inspected.token),
        percent=percent_text(every[inspected.step]),
        rest=percent_text(1 - every[inspected.step]),
        mean=percent_text(fsum(every) / len(every)),
    )


def _worth(inspected: Inspected, gain: SourceGain) -> str:
    """A sentence about the token's probability with the source and with others."""
    step = inspected.step
    log_prob, gained = gain.log_probs[step], gain.gains[step]
    return say(
        "With this source {token} has a probability of {own}, with {count} other sources {others} (their "
        "geometric mean): the source is worth {nats} nats here.",
        token=quoted(inspected.token),
        own=small_percent_text(exp(log_prob)),
        count=len(gain.log_probs_after_others),
        others=small_percent_text(exp(log_prob - gained)),
        nats=number_text(gained),
    )


def _trust(shares: Contributions | None, gain: SourceGain | None) -> Iterator[str]:
    if shares is not None:
        yield say(
            "The shares follow the sums of the attentions in all layers (ALTI+, Ferrando et al. 2022); "
            "they leave out what the feed-forward layers do."
        )
    else:
        yield say("The shares of single tokens are computed only for this app's own Transformers.")
    if gain is not None:
        yield say(
            "The value of the source depends on the sources that it is compared with: a word that they "
            "would produce as well gains nothing."
        )


def _table(inspected: Inspected, gain: SourceGain, others: dict[str, tuple[int, ...]]) -> Table:
    """The probability of the current token after each source."""
    names = list(others)
    if inspected.checkpoint.config.reads_pictures:
        names = [say("picture {number}", number=index + 1) for index in range(len(names))]
    step = inspected.step
    rows: list[list[Cell]] = [
        [name, small_percent_text(exp(log_probs[step])), log_probs[step]]
        for name, log_probs in zip(
            (say("this source"), *names), (gain.log_probs, *gain.log_probs_after_others), strict=True
        )
    ]
    token = quoted(inspected.token)
    return Table([say("source"), say("probability of {token}", token=token), say("log-probability")], rows)


VIEW = InspectView(
    "history",
    in_page("Source or history"),
    later("How much of each token comes from the source, and how much from what was already written?"),
    position=10,
    compute=compute,
    paper="Ferrando et al. 2022",
)

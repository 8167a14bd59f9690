"""BLEU by hand: which n-grams of an output count, and how their precisions make a score."""

from __future__ import annotations

import math
from collections.abc import Sequence

from demo.i18n import later, quoted, say
from demo.i18n.display import number_text, percent_text, plotly_text
from demo.labs import Lab
from demo.labs.lab_layout import lab_layout
from demo.widgets.answers.content import Cell, Chart, Content, Controls, NotHereError, Program, Table
from demo.widgets.figures.drawing import bar_trace, scatter_trace
from demo.widgets.figures.figure import LIGHT, Figure
from models.metrics.dissection import (
    BLEU_TOKENIZERS,
    MAX_ORDER,
    SMOOTHINGS,
    BleuDissection,
    brevity_penalty,
    dissect,
    signature,
)

# Written for this lab.
OUTPUT = "my sister lives in a house small near the sea"
REFERENCE = "my sister lives in a small house near the sea"
MAX_TOKENS = 40  # tokens of an output, whose n-grams are drawn one by one
COLUMN, LANE = 46, 22  # pixels
POINTS = 60  # points of the curve
BY_SACREBLEU = ("intl", "zh")  # tokenizers that take more lines than a program has


def compute(controls: Controls) -> Content:
    """Show each n-gram over the output, the precisions and the brevity penalty."""
    output = controls.text_field("output", say("output"), OUTPUT)
    references = [
        controls.text_field("reference", say("reference"), REFERENCE),
        controls.text_field("second", say("another reference, if there is one")),
    ]
    tokenizer = controls.choose("tokenizer", say("tokenizer"), [(name, name) for name in BLEU_TOKENIZERS])
    smoothing = controls.choose("smoothing", say("smoothing"), [(name, name) for name in SMOOTHINGS])
    orders = controls.choose(
        "orders", say("up to n"), [(str(n), str(n)) for n in range(1, MAX_ORDER + 1)], "4"
    )
    with_text = [text for text in references if text.strip()]
    if not with_text:
        raise NotHereError("reference_missing", "BLEU compares with a reference. Type one.")
    result = dissect(output, with_text, tokenizer=tokenizer, smoothing=smoothing, orders=int(orders))
    if not result.tokens:
        raise NotHereError("output_without_token", "The output has no token. Type a few words.")
    if result.length > MAX_TOKENS:
        raise NotHereError(
            "output_too_long_to_draw",
            "The output has {count} tokens; at most {limit} are drawn. Shorten it.",
            count=result.length,
            limit=MAX_TOKENS,
        )
    signed = signature(tokenizer, smoothing, len(with_text))
    return Content(
        [_finding(result), *_meaning(result), say("Signature: {signature}", signature=signed)],
        [
            Chart("ngrams", say("n-grams of the output"), ngram_figure(result)),
            Chart("brevity", say("Brevity penalty by length"), penalty_figure(result)),
        ],
        _table(result),
        _facts(result),
        program=_program(result, tokenizer, [output, *with_text]),
    )


def _program(analysis: BleuDissection, tokenizer: str, texts: Sequence[str]) -> Program:
    """Return the tokens of each text where the program cannot cut it itself."""
    if tokenizer not in BY_SACREBLEU:
        return Program()
    tokens = [analysis.tokens, *analysis.references]
    return Program({"cut": {text: list(part) for text, part in zip(texts, tokens, strict=True)}})


def ngram_figure(analysis: BleuDissection) -> Figure:
    """Draw a bar over the tokens of each n-gram, in as many lanes as keep them apart."""
    kinds = (
        (say("a reference has it"), LIGHT.output),
        (say("once too often: clipped"), LIGHT.attention),
        (say("no reference has it"), LIGHT.grid),
    )
    bars: list[tuple[int, int, int, int, str]] = []  # kind, first token, lane, number of tokens, label
    lanes: dict[int, str] = {}  # the name of each order by its first lane
    lane = 0
    for order in analysis.orders:
        lanes[lane] = f"n = {order.n}"
        for ngram in order.ngrams:
            for which, start in enumerate(ngram.starts):
                kind = 0 if which < ngram.clipped else 1 if ngram.clipped else 2
                bars.append((kind, start, lane + start % order.n, order.n, " ".join(ngram.tokens)))
        lane += order.n
    traces = [
        bar_trace(
            orientation="h",
            name=name,
            base=[start + 0.06 for kind, start, _, _, _ in bars if kind == which],
            x=[size - 0.12 for kind, _, _, size, _ in bars if kind == which],
            y=[index for kind, _, index, _, _ in bars if kind == which],
            marker={"color": colour},
            hovertext=[plotly_text(label, 80) for kind, _, _, _, label in bars if kind == which],
            hover=f"%{{hovertext}}<br>{name}",
        )
        for which, (name, colour) in enumerate(kinds)
    ]
    across = {
        "tickvals": [index + 0.5 for index in range(analysis.length)],
        "ticktext": [plotly_text(token, 10) for token in analysis.tokens],
        "range": [0, analysis.length],
        "side": "top",
    }
    upright = {
        "tickvals": list(lanes),
        "ticktext": list(lanes.values()),
        "range": [lane - 0.4, -0.6],
        "showgrid": False,
    }
    size = {"width": COLUMN * analysis.length + 80, "height": LANE * lane + 90, "top": 40, "bottom": 44}
    legend = {"orientation": "h", "y": 0, "yanchor": "top", "x": 0}
    return Figure(traces, lab_layout(across, upright, **size, barmode="overlay", legend=legend))


def penalty_figure(analysis: BleuDissection) -> Figure:
    """Draw exp(1 - r / c) over lengths c, and the point of this output."""
    most = max(analysis.length, analysis.reference_length) * 1.3
    lengths = [most * (index + 1) / POINTS for index in range(POINTS)]
    reference_length = analysis.reference_length
    curve = scatter_trace(
        "lines",
        x=lengths,
        y=[min(1.0, math.exp(1 - reference_length / length)) for length in lengths],
        line={"color": LIGHT.muted},
        hoverinfo="skip",
    )
    point = scatter_trace(
        "markers",
        x=[analysis.length],
        y=[brevity_penalty(analysis.length, reference_length)],
        marker={"color": LIGHT.output, "size": 11},
        hover="%{y:.3f}",
    )
    across = {"title": {"text": say("tokens of the output")}, "range": [0, most], "showgrid": True}
    upright = {"title": {"text": say("brevity penalty")}, "range": [0, 1.08]}
    layout = lab_layout(across, upright, 320, height=230, top=40, bottom=44, showlegend=False)
    return Figure([curve, point], layout)


def _finding(analysis: BleuDissection) -> str:
    mean = analysis.score / analysis.brevity_penalty if analysis.brevity_penalty else 0
    values = {
        "score": number_text(analysis.score, 1),
        "penalty": number_text(analysis.brevity_penalty, 3),
        "mean": number_text(mean, 1),
    }
    if len(analysis.orders) == 1:
        return say(
            "BLEU {score} = brevity penalty {penalty} × {mean}, the precision of single tokens.", **values
        )
    return say(
        "BLEU {score} = brevity penalty {penalty} × {mean}, the geometric mean of {count} precisions.",
        count=len(analysis.orders),
        **values,
    )


def _meaning(analysis: BleuDissection) -> list[str]:
    sentences = []
    clipped = [
        (ngram, ngram.count - ngram.clipped)
        for ngram in analysis.orders[0].ngrams
        if 0 < ngram.clipped < ngram.count
    ]
    if clipped:
        ngram, lost = max(clipped, key=lambda item: item[1])
        sentences.append(
            say(
                "{word} is more frequent in the output ({count}) than in any reference ({clipped}), "
                "and the surplus ({lost}) does not count.",
                word=quoted(ngram.tokens[0]),
                count=ngram.count,
                clipped=ngram.clipped,
                lost=lost,
            )
        )
    without = [order.n for order in analysis.orders if order.total and not order.matched]
    if without and analysis.orders[0].matched:
        no_smoothing = later(
            "No {n}-gram occurs in a reference, so the geometric mean is 0. Choose a smoothing."
        )
        smoothing = later(
            "No {n}-gram occurs in a reference; smoothing puts a small number there, else BLEU would be 0."
        )
        sentences.append(say(no_smoothing if analysis.smoothing == "none" else smoothing, n=without[0]))
    if analysis.length < len(analysis.orders):
        sentences.append(
            say(
                "The output is too short for n-grams of every length; the smoothing gives those it lacks "
                "{percent}.",
                percent=percent_text(analysis.orders[-1].smoothed / 100),
            )
            if analysis.score
            else say("The output is too short for n-grams of every length, so its BLEU is 0.")
        )
    sentences.append(
        say(
            "BLEU is made for a corpus, where it first sums the counts of all sentences. About one "
            "sentence it says little, and it does not see meaning: a right paraphrase may score less "
            "than nonsense."
        )
    )
    return sentences


def _table(analysis: BleuDissection) -> Table:
    rows: list[list[Cell]] = [
        [str(order.n), order.matched, order.total, order.precision, order.smoothed]
        for order in analysis.orders
    ]
    return Table([say("n"), say("matched"), say("in all"), say("precision in %"), say("smoothed in %")], rows)


def _facts(analysis: BleuDissection) -> dict[str, float | str]:
    facts: dict[str, float | str] = {
        "bleu": analysis.score,
        "brevity_penalty": analysis.brevity_penalty,
        "length": analysis.length,
        "reference_length": analysis.reference_length,
    }
    for order in analysis.orders:
        facts[f"matched_{order.n}"] = order.matched
        facts[f"precision_{order.n}"] = order.precision
    return facts


LAB = Lab(
    "bleu",
    later("BLEU by hand"),
    later("What does BLEU count, and what does it overlook?"),
    position=110,
    compute=compute,
)

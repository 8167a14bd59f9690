"""Positions and masks: what one small self-attention network may see, and what it knows of order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from demo.i18n import later, quoted, say
from demo.i18n.display import number_text, plotly_text
from demo.labs import Lab, LabTraining
from demo.labs.lab_layout import lab_layout, labelled_bars
from demo.labs.positions.training import (
    DECODER,
    DIGITS,
    ENCODER,
    HOVER,
    NONE,
    POSITIONS,
    PREFIX,
    PositionSettings,
    learnt_by_mask,
    losses_charts,
    positions_of,
    run,
    seen_figure,
    settings,
    training_view,
)
from demo.widgets.answers.content import Cell, Chart, Content, Controls, NotHereError, Program, Table
from demo.widgets.figures.drawing import SIGNED, heatmap_trace, labelled_axis
from demo.widgets.figures.figure import LIGHT, Figure
from models.labs.ngrams import sentences

if TYPE_CHECKING:
    from models.labs.masks import ChangedWord

TEXT = "the cat saw the dog and the dog ran"  # written for this lab
ABOUT_MASKS = {
    ENCODER: later(
        "No mask: every word looks at every other, also at later ones. That is how BERT reads a text; "
        "it cannot write one from left to right, for it would see what it has to predict."
    ),
    DECODER: later(
        "The causal mask: a word looks at itself and at earlier words only. That is how GPT writes: "
        "later words change nothing before them, so all positions can be trained at once."
    ),
    PREFIX: later(
        "The prefix sees itself in both directions, the rest is causal. So one network reads a "
        "known source and writes an output; an encoder-decoder has two, each with layers of its own "
        "(Raffel et al. 2020)."
    ),
}
MAX_WORDS = 24
DISTANCES = (0, 1, 2, 4, 8, 16, 32)
ATTENTION, ENCODING, TRAINING = "attention", "encoding", "training"


def compute(controls: Controls) -> Content:
    """Show one of three: attention on the reader's words, the encoding of positions, the training."""
    choices = settings(controls)
    views = [
        (ATTENTION, say("attention and mask")),
        (ENCODING, say("encoding of positions")),
        (TRAINING, say("training")),
    ]
    view = controls.choose("shown", say("shown"), views)
    if view == TRAINING:
        return training_view(controls, choices)
    result = _encoding(controls) if view == ENCODING else _attention(controls, choices)
    charts = losses_charts(learnt_by_mask(controls, choices))  # a reader may train from this view
    return replace(result, charts=[*result.charts, *charts])


def _attention(controls: Controls, choices: PositionSettings) -> Content:
    from models.labs.masks import change_facts, changed_word

    text = controls.text_field("text", say("text"), TEXT)
    words = [word for sentence in sentences(text) for word in sentence]
    if not 2 <= len(words) <= MAX_WORDS:
        raise NotHereError(
            "words_out_of_range",
            "The text has {count} words; type 2 to {limit}.",
            count=len(words),
            limit=MAX_WORDS,
        )
    count, prefix = len(words), 0
    changed = round(controls.number("changed", say("word that is changed"), 1, count, 1, count // 2 + 1))
    if choices.mask == PREFIX:
        middle = (count + 1) // 2
        prefix = round(controls.number("prefix", say("words in the prefix"), 1, count - 1, 1, middle))
    ids = {word: index for index, word in enumerate(dict.fromkeys(words))}
    result = changed_word(
        [ids[word] for word in words], choices.mask, prefix, positions_of(choices), changed - 1
    )
    charts = [
        Chart("attention", say("Who looks at whom"), seen_figure(words, result.weights, result.allowed)),
        Chart("change", say("Change of each output"), bars_figure(words, result.changes, changed - 1)),
    ]
    facts = change_facts(result, changed - 1)
    paragraphs = [
        _of_change(words, changed, facts),
        say(ABOUT_MASKS[choices.mask]),
        _of_order(choices, result),
        say(
            "The weights here are random, drawn by a fixed seed, so how much a word looks at another means "
            "nothing; what the mask forbids is zero for any weights."
        ),
    ]
    return Content(paragraphs, charts, _seen_table(words, result), facts)


def _of_change(words: Sequence[str], changed: int, facts: Mapping[str, float | str]) -> str:
    values = {
        "word": quoted(words[changed - 1]),
        "number": changed,
        "some": facts["outputs_changed"],
        "count": len(words),
    }
    if facts["change_before"] or changed == 1:
        return say(
            "Word {number}, {word}, is replaced by another: {some} of {count} outputs change.", **values
        )
    return say(
        "Word {number}, {word}, is replaced by another: {some} of {count} outputs change, and those before "
        "it not at all (largest change: 0).",
        **values,
    )


def _of_order(choices: PositionSettings, change: ChangedWord) -> str:
    from models.labs.masks import ROUNDING_ERROR

    if change.reversal_difference <= ROUNDING_ERROR and (choices.mask, choices.positions) != (ENCODER, NONE):
        return say(
            "With the words in reverse order, each word has the very same output (difference 0). Type "
            "different words to see that their order counts."
        )
    if change.reversal_difference <= ROUNDING_ERROR:
        return say(
            "With the words in reverse order, each word has the very same output (difference 0): without "
            "positions and without a mask, attention does not know the order."
        )
    without_positions = later(
        "With the words in reverse order, the outputs differ by up to {difference}, though there are no "
        "positions: who may look at whom gives away some of the order."
    )
    with_positions = later(
        "With the words in reverse order, the outputs differ by up to {difference}: the network knows where "
        "a word stands. Choose no positions, and compare."
    )
    difference = number_text(change.reversal_difference)
    return say(without_positions if choices.positions == NONE else with_positions, difference=difference)


def _seen_table(words: Sequence[str], change: ChangedWord) -> Table:
    from models.labs.masks import round_to_zero

    rows: list[list[Cell]] = [
        [
            str(index + 1),
            word,
            str(sum(change.allowed[index])),
            number_text(round_to_zero(change.changes[index]), 3),
        ]
        for index, word in enumerate(words)
    ]
    head = [say("place"), say("word"), say("words it sees"), say("change of its output")]
    return Table(head, rows)


def _encoding(controls: Controls) -> Content:
    from models.networks.transformer.model import sinusoidal_positions

    width = 2 * round(controls.number("width", say("width of the encoding"), 8, 128, 8, 32) / 2)
    encoding = sinusoidal_positions(POSITIONS, width).double()
    products = (encoding @ encoding.T / (width / 2)).tolist()
    rows: list[list[Cell]] = [
        [str(distance), number_text(products[0][distance], 3), number_text(products[20][20 + distance], 3)]
        for distance in DISTANCES
    ]
    near, far = products[0][1], products[0][DISTANCES[-1]]
    paragraphs = [
        say(
            "Dot products are divided by half the width here, so that a position has 1 with "
            "itself. Two neighbours have {near}, and two positions 32 apart {far}. The product "
            "need not fall steadily with the distance, because the fast waves go up and down.",
            near=number_text(near),
            far=number_text(far),
        ),
        say(
            "Each position is a vector of sines and cosines of falling frequency (Vaswani et al. 2017): "
            "fast ones tell neighbours apart, slow ones far places. It is added to the token's vector."
        ),
        say(
            "The dot product of two positions depends on their distance alone, not on where "
            "they are: see the table. So attention can learn to look a fixed number of words "
            "back."
        ),
        say(
            "The Transformers that ship with this app use such vectors; BERT and GPT-2 learn one for "
            "each position instead."
        ),
    ]
    charts = [
        Chart(
            "encoding",
            say("The vectors of the positions"),
            signed_figure(encoding.tolist(), say("dimension")),
        ),
        Chart("products", say("Their dot products"), signed_figure(products, say("position"))),
    ]
    head = [say("distance"), say("product with position 0"), say("product with position 20")]
    return Content(
        paragraphs,
        charts,
        Table(head, rows),
        {"near": near, "half_as_far": products[0][DISTANCES[-1] // 2], "far": far},
        # The settings of the training change nothing here.
        program=Program({control.name: control.value for control in controls.controls}),
    )


def bars_figure(words: Sequence[str], changes: Sequence[float], changed: int) -> Figure:
    """Draw how far each output moves; the changed word has another colour."""
    labels = [plotly_text(word) for word in words]
    colours = [LIGHT.edit if index == changed else LIGHT.output for index in range(len(words))]
    bars = labelled_bars(labels, [round(change, DIGITS) for change in changes], colours)
    return Figure([bars], lab_layout(labelled_axis(labels), {"title": {"text": say("largest change")}}, 320))


def signed_figure(cells: Sequence[Sequence[float]], across: str) -> Figure:
    """Draw a line of numbers from -1 to 1 for each position; `across` is the title of the columns."""
    rounded = [[round(value, DIGITS) for value in row] for row in cells]
    heatmap = heatmap_trace(rounded, (-1, 1), hoverongaps=False, hover=HOVER, colors=SIGNED)
    upright = {"title": {"text": say("position")}, "autorange": "reversed"}
    return Figure([heatmap], lab_layout({"title": {"text": across}}, upright, 320, height=340))


LAB = Lab(
    "positions",
    later("Positions and masks"),
    later("Who may look at whom, and how does attention know the order of words?"),
    position=90,
    compute=compute,
    training=LabTraining(settings, run),
)

"""The training in the lab of positions and masks: a small network that predicts every next token.

Its figures show attention under a mask, which the view without training shows too, and losses.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from demo.i18n import later, say
from demo.i18n.display import number_text, percent_text, plotly_text
from demo.labs.lab_layout import grid_figure, lab_layout
from demo.widgets.answers.content import Cell, Chart, Content, Controls, Program, Table
from demo.widgets.figures.attention import longest
from demo.widgets.figures.drawing import (
    CHARACTER_WIDTH,
    heatmap_trace,
    legend_above,
    level_line,
    scatter_trace,
)
from demo.widgets.figures.figure import LIGHT, Figure
from models.labs.training import Progress

if TYPE_CHECKING:
    from models.labs.masks import CopyingResult

POSITIONS = 64
CELL, MARGINS = 26, 40  # pixels
DIGITS = 3  # digits of drawn values
COLOURS = (LIGHT.source, LIGHT.output, LIGHT.edit)
SMOOTHING_STEPS = 10
HOVER = "%{y} → %{x}: %{z:.3f}"
NOISE = 0.2  # nats by which a mean over the last steps may lie below what can be guessed
ENCODER, DECODER, PREFIX = "encoder", "decoder", "prefix"
MASK_NAMES = {
    ENCODER: later("all to all (encoder-only, BERT)"),
    DECODER: later("causal (decoder-only, GPT)"),
    PREFIX: later("prefix (encoder-decoder)"),
}
SINUSOIDAL, NONE = "sinusoidal", "none"


@dataclass(frozen=True)
class PositionSettings:
    """The settings of the training."""

    mask: str
    positions: str


def settings(controls: Controls) -> PositionSettings:
    """Return the network's mask and its kind of positions from the controls."""
    masks = [(key, say(MASK_NAMES[key])) for key in MASK_NAMES]
    encodings = [(SINUSOIDAL, say("sinusoidal")), (NONE, say("no positions"))]
    return PositionSettings(
        controls.choose("mask", say("mask"), masks, DECODER),
        controls.choose("positions", say("positions"), encodings),
    )


def run(choices: PositionSettings) -> Iterator[Progress[CopyingResult]]:
    """Train as `models.labs.masks.train` does."""
    from models.labs.masks import train

    return train(choices.mask, positions_of(choices))


def positions_of(choices: PositionSettings) -> Any:
    """Return a vector for each of POSITIONS positions, (POSITIONS, WIDTH), or None."""
    from models.labs.masks import MODEL_WIDTH
    from models.networks.transformer.model import sinusoidal_positions

    return sinusoidal_positions(POSITIONS, MODEL_WIDTH) if choices.positions == SINUSOIDAL else None


def learnt_by_mask(controls: Controls, choices: PositionSettings) -> Mapping[str, CopyingResult | None]:
    """Return this visitor's result for each mask with these positions; None where not trained."""
    return {key: controls.trained(replace(choices, mask=key)) for key in MASK_NAMES}


def losses_charts(results: Mapping[str, CopyingResult | None]) -> list[Chart]:
    """Return one chart, or none before the first training."""
    from models.labs.masks import NUM_COPY_STEPS, NUM_LETTERS

    drawn = {say(MASK_NAMES[key]): result for key, result in results.items() if result}
    title = say("Loss on the random letters and on the copy")
    figure = losses_figure(drawn, NUM_COPY_STEPS, math.log(NUM_LETTERS))
    return [Chart("losses", title, figure)] if drawn else []


def training_view(controls: Controls, choices: PositionSettings) -> Content:
    """Show losses by mask, with the visitor's earlier trainings, and the attention after training."""
    from models.labs.masks import NUM_LETTERS, NUM_MASKED_LAYERS, STRING_LENGTH, copying_facts, last_mean

    layers = [str(number) for number in range(1, NUM_MASKED_LAYERS + 1)]
    layer = int(controls.choose("layer", say("layer"), [*zip(layers, layers, strict=True)]))
    results = learnt_by_mask(controls, choices)
    chosen_result, chance = results[choices.mask], math.log(NUM_LETTERS)
    facts = copying_facts(chosen_result, layer)
    task = say(
        "The task: {count} random letters, a bar, the same letters again; the network predicts every next "
        "token. The first letters cannot be guessed: the best honest loss is ln {letters} = {chance} nats. "
        "The copy can.",
        count=STRING_LENGTH,
        letters=NUM_LETTERS,
        chance=number_text(chance),
    )
    charts = losses_charts(results)
    table = _learnt_table(results)
    if chosen_result is None:
        paragraphs = [say("Not trained yet: press Train, then try the other masks."), task]
        program = Program({"updates": 0})
        return Content(paragraphs, charts, table, facts, program=program)
    weights = chosen_result.weights[layer - 1]
    figure = seen_figure(chosen_result.example, weights, [[weight > 0 for weight in row] for row in weights])
    charts.append(Chart("attention", say("Attention on one example"), figure))
    cheats = last_mean(chosen_result.string) < chance - NOISE
    paragraphs = [
        say(
            "Random letters cost {string} nats, the copy {copy}.",
            string=number_text(last_mean(chosen_result.string)),
            copy=number_text(last_mean(chosen_result.copy)),
        ),
        say(
            "Less than {chance} on random letters means that the mask lets the network read the answer.",
            chance=number_text(chance),
        )
        if cheats
        else _honest(choices, chance),
        task,
    ]
    program = Program({"updates": len(chosen_result.string)})
    return Content(paragraphs, charts, table, facts, program=program)


def _honest(choices: PositionSettings, chance: float) -> str:
    """Say what it means that random letters cost no less than an honest guess."""
    sees_nothing = later(
        "On random letters it is not clearly below that of an honest guess, {chance}: "
        "it does not see the answer."
    )
    sees_all = later(
        "On random letters it is not clearly below that of an honest guess, {chance}: the mask lets the "
        "network read the answer, but it has not learnt to."
    )
    return say(sees_nothing if choices.mask == DECODER else sees_all, chance=number_text(chance))


def _learnt_table(results: Mapping[str, CopyingResult | None]) -> Table:
    from models.labs.masks import last_mean

    rows: list[list[Cell]] = []
    for key, result in results.items():
        if result is None:
            rows.append([say(MASK_NAMES[key]), "", "", "", ""])
            continue
        right = [
            percent_text(count / result.tested) if result.read else ""
            for count in (result.read, result.self_read)
        ]
        rows.append(
            [
                say(MASK_NAMES[key]),
                number_text(last_mean(result.string), 3),
                number_text(last_mean(result.copy), 3),
                *right,
            ]
        )
    head = [
        say("mask"),
        say("loss on random letters"),
        say("loss on the copy"),
        say("copied right, reading the truth"),
        say("copied right, reading its own output"),
    ]
    return Table(head, rows)


def seen_figure(
    words: Sequence[str], weights: Sequence[Sequence[float]], allowed: Sequence[Sequence[bool]]
) -> Figure:
    """Draw the weights with which rows look at columns; forbidden cells are empty."""
    labels = [plotly_text(word) for word in words]
    cells = [
        [round(weight, DIGITS) if may else None for weight, may in zip(row, line, strict=True)]
        for row, line in zip(weights, allowed, strict=True)
    ]
    heatmap = heatmap_trace(cells, hoverongaps=False, hover=HOVER, gap=1)
    margin, width = MARGINS + CHARACTER_WIDTH * longest(labels), CELL * len(words)
    return grid_figure(
        heatmap,
        (labels, {"tickangle": -50, "title": say("looked at"), "way": "right"}),
        (labels, {"title": say("looks"), "way": "down"}),
        (width, max(260 - margin - 16, width)),
        (margin, margin),
    )


def losses_figure(results: Mapping[str, CopyingResult], steps: int, chance: float) -> Figure:
    """Draw two curves for each trained mask, the copy's in bold, and a level line at guessing."""
    lines = [
        scatter_trace(
            "lines",
            name=f"{name}, {what}",
            x=list(range(1, len(losses) + 1)),
            y=[round(loss, DIGITS) for loss in _smooth(losses)],
            line={"color": colour, "width": width, "dash": dash},
            hover="%{y:.2f}",
        )
        for (name, item), colour in zip(results.items(), COLOURS, strict=False)
        for what, losses, width, dash in (
            (say("random letters"), item.string, 1.5, "3px,3px"),
            (say("the copy"), item.copy, 3, "solid"),
        )
    ]
    top = 20 + 20 * max(1, len(lines))
    layout = lab_layout(
        {"title": {"text": say("step")}, "range": [0, steps]},
        {"title": {"text": say("loss (nats)")}, "range": [0, 2.7]},
        340,
        height=240 + top,
        top=top,
        legend=legend_above(),
        shapes=[level_line(chance)],
    )
    return Figure(lines, layout)


def _smooth(losses: Sequence[float]) -> list[float]:
    """Return the mean of the last SMOOTHING_STEPS steps at each step."""
    parts = (losses[max(0, index + 1 - SMOOTHING_STEPS) : index + 1] for index in range(len(losses)))
    return [sum(part) / len(part) for part in parts]

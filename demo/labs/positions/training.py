"""The training in the lab of positions and masks: a small network that predicts every next token."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from demo.i18n import later, say
from demo.i18n.display import number_text, percent_text
from demo.labs.positions.figures import losses_figure, seen_figure
from demo.widgets.answers.content import Cell, Chart, Content, Controls, Program, Table
from models.labs.progress import Progress

if TYPE_CHECKING:
    from models.labs.masks import CopyingResult

POSITIONS = 64
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

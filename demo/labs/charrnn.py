"""A language model of characters trained live: RNN, GRU, LSTM, clipping, truncated backpropagation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from demo.i18n import counted, later, quoted, say
from demo.i18n.display import number_text, power_text, short_text
from demo.labs import Lab, LabTraining, own_text
from demo.widgets.answers.content import Cell, Chart, Content, Controls, NotHereError, Program, Table
from demo.widgets.figures.curves.live import Level, LiveCurve, live_figure
from demo.widgets.figures.figure import LIGHT, Figure
from models.labs.training import Progress, novel

if TYPE_CHECKING:
    from models.labs.character_training import CharacterChoices, CharacterResult

CELLS = (("rnn", "RNN"), ("gru", "GRU"), ("lstm", "LSTM"))
OFF = "off"
THRESHOLDS = ("0.25", "1", "5")
RATES = ("0.5", "1", "2", "4")
FULL, REGULAR, RANDOM = "full", "truncated", "randomised"
MIN_POWER_NUMBER = 1e6  # from here on a number is written as a power of ten
MIN_CHARACTERS = 500  # characters of the reader's own text


def settings(controls: Controls) -> CharacterChoices:
    """Return the settings from the controls. Raises NotHereError for a text too short to learn from."""
    from models.labs.character_training import CharacterChoices

    kind = controls.choose("cell", say("recurrent cell"), [*CELLS], "rnn")
    layers = int(controls.choose("layers", say("layers"), [("1", "1"), ("2", "2")], "1"))
    thresholds = [(OFF, say("not clipped")), *((threshold, f"θ = {threshold}") for threshold in THRESHOLDS)]
    threshold = controls.choose("clipping", say("gradient norm"), thresholds, "1")
    rate = float(controls.choose("rate", say("learning rate"), [(rate, rate) for rate in RATES], "2"))
    truncations = [(FULL, say("full")), (REGULAR, say("truncated")), (RANDOM, say("randomised"))]
    truncation = controls.choose("truncation", say("backpropagation through time"), truncations, FULL)
    every, survival = 5.0, 0.5
    if truncation == REGULAR:
        every = controls.number("every", say("cut every so many steps"), 1, 30, 1, 5)
    if truncation == RANDOM:
        survival = controls.number("kept", "π", 0.1, 0.9, 0.1, 0.5)
    text = own_text(controls)
    if text and len(text) < MIN_CHARACTERS:
        raise NotHereError(
            "text_too_short_to_learn",
            "Your text has {count} characters; at least {least} are needed to learn from. Leave it empty "
            "for the novel.",
            count=len(text),
            least=MIN_CHARACTERS,
        )
    clip = None if threshold == OFF else float(threshold)
    return CharacterChoices(kind, layers, rate, clip, truncation, round(every), survival, text)


def run(choices: CharacterChoices) -> Iterator[Progress[CharacterResult]]:
    """Train as `models.labs.character_training` does."""
    from models.labs.character_training import train

    return train(choices)


@lru_cache(64)  # a page that waits in the queue polls
def _untrained_result(choices: CharacterChoices) -> CharacterResult:
    return next(run(choices)).result()


def compute(controls: Controls) -> Content:
    """Show the curves so far; before the training, the untrained network."""
    choices = settings(controls)
    result: CharacterResult = controls.trained(choices) or _untrained_result(choices)
    other: CharacterResult | None = controls.trained(
        replace(choices, threshold=1.0 if choices.threshold is None else None)
    )
    sample = quoted(" ".join(result.sample.split()))
    source = say("The novel is Alice's Adventures in Wonderland (Lewis Carroll, 1865, public domain).")
    gap = say(
        "output has the last layer's h after every step, h_n every layer's h after the last step. The "
        "largest difference between output[-1] and h_n[-1]: {gap}.",
        gap=number_text(result.gap, 6 if result.gap else 0),
    )
    facts = _facts(choices, result)
    charts = [
        Chart("perplexity", say("Perplexity while it learns"), perplexity_figure(result)),
        Chart("norm", say("Gradient norm of each update"), norm_figure(result, choices.threshold, other)),
    ]
    return Content(
        [
            _finding(choices, result),
            *([_norms(choices, result)] if result.norms else []),
            _truncation(choices),
            *([gap] if choices.layers > 1 else []),  # output[-1] is all of h_n of one layer
            *([say("Sampled from it: {text}", text=sample)] if result.sample else []),
            say(
                "A small network, a short text, one run from one seed: another seed may rank two settings "
                "the other way."
            ),
            *([] if choices.text else [source]),
        ],
        charts,
        _table(choices, facts),
        facts,
        program=Program({"updates": len(result.losses) + result.broke}),
    )


def _facts(choices: CharacterChoices, result: CharacterResult) -> dict[str, float | str]:
    from models.labs.character_training import NUM_HIDDEN, WINDOW_STEPS, rows_of, weights_of

    after = result.held_out[-1][1]
    facts: dict[str, float | str] = {
        "uniform_perplexity": result.alphabet,
        "perplexity_before": result.held_out[0][1],
        "perplexity": "∞" if math.isinf(after) else after,
        "worse_than_guessing": int(after > result.alphabet),
        "steps": WINDOW_STEPS,
        "rows": rows_of(choices.text or novel()),  # in a window, fewer for a short text
        "units": NUM_HIDDEN,
        "layers": choices.layers,
        "weights": weights_of(choices.kind, result.alphabet, choices.layers),
        "output_gap": result.gap,
    }
    if result.norms:
        facts["largest_gradient_norm"] = max(result.norms)
    return facts


def _value(number: float) -> str:
    return number_text(number, 2) if number < MIN_POWER_NUMBER else power_text(number)


def perplexity_figure(result: CharacterResult) -> Figure:
    """Draw the perplexity before each update and on held-out text; a dashed line marks guessing."""
    losses = [math.exp(min(nats, 99)) for nats in result.losses]
    updates, perplexities = zip(*result.held_out, strict=True)
    curves = [
        LiveCurve(say("while learning"), range(1, len(losses) + 1), losses, LIGHT.source, width=1),
        LiveCurve(say("held out"), updates, perplexities, LIGHT.output, marked=True, width=2),
    ]
    return live_figure(curves, say("perplexity"), result.updates, Level(result.alphabet, "dash"))


def norm_figure(result: CharacterResult, threshold: float | None, other: CharacterResult | None) -> Figure:
    """Draw the norms before clipping; the threshold is dotted, the reader's other training grey."""
    curves = [(say("this training"), result, LIGHT.attention)]
    if other is not None:
        name = say("clipped before") if threshold is None else say("not clipped before")
        curves.insert(0, (name, other, LIGHT.muted))
    return live_figure(
        [
            LiveCurve(name, range(1, len(curve.norms) + 1), curve.norms, colour)
            for name, curve, colour in curves
        ],
        "‖g‖",
        result.updates,
        None if threshold is None else Level(threshold, "dot"),
    )


def _finding(choices: CharacterChoices, result: CharacterResult) -> str:
    if result.broke:
        return say(
            "Training broke down at update {steps}: the loss is not a number any more. Clip the gradient, or "
            "lower the learning rate.",
            steps=len(result.losses) + 1,
        )
    if not result.losses:
        text = later(
            "Untrained, this {cell} has perplexity {before} on {count} characters that it will not learn "
            "from; guessing evenly among {size} has {size}. Press Train."
        )
    elif result.held_out[-1][1] > result.alphabet:
        text = later(
            "After {updates} this {cell} has perplexity {after} on text that it has not seen: worse "
            "than guessing evenly, which has {size}. It began at {before}."
        )
    else:
        text = later(
            "After {updates} this {cell} has perplexity {after} on text that it has not seen. It began at "
            "{before}; guessing evenly among all characters has {size}."
        )
    return say(
        text,
        cell=choices.kind.upper(),
        before=_value(result.held_out[0][1]),
        after=_value(result.held_out[-1][1]),
        size=result.alphabet,
        count=result.held_out_characters,
        updates=counted(len(result.losses), later("1 update"), later("{count} updates")),
    )


def _norms(choices: CharacterChoices, result: CharacterResult) -> str:
    largest = max(result.norms)
    numbers = {"norm": _value(largest), "at": result.norms.index(largest) + 1}
    if choices.threshold is None:
        return say(
            "Largest gradient norm: {norm}, at update {at}. Nothing was clipped, so one steep place may "
            "throw the weights far away.",
            **numbers,
        )
    return say(
        "Largest gradient norm: {norm}, at update {at}. {count} of {all} gradients were longer than "
        "{threshold} and were shortened to it: g ← min(1, θ/‖g‖) g.",
        **numbers,
        count=sum(norm > choices.threshold for norm in result.norms),
        all=len(result.norms),
        threshold=short_text(choices.threshold, 6),
    )


def _truncation(choices: CharacterChoices) -> str:
    from models.labs.character_training import WINDOW_STEPS

    if choices.truncation == RANDOM:
        text = later(
            "At each step the gradient flows on with probability {kept}, multiplied by 1/{kept}, else it is "
            "cut: its mean is the full gradient, but it scatters more."
        )
    elif choices.truncation == FULL:
        text = later(
            "The gradient flows back through all {steps} characters of a window. The next window takes over "
            "the state, but no gradient."
        )
    elif choices.every == 1:
        text = later(
            "The gradient is cut off at every step, so nothing is learnt about what lies further back."
        )
    else:
        text = later(
            "The gradient is cut off every {every} steps, so nothing is learnt about what lies further back."
        )
    return say(text, every=choices.every, kept=short_text(choices.survival, 6), steps=WINDOW_STEPS)


def _table(choices: CharacterChoices, facts: Mapping[str, float | str]) -> Table:
    """Return the shapes of one window, and the size of the network."""
    steps, count, units = facts["steps"], facts["rows"], facts["units"]
    every_layer: list[Cell] = [f"{choices.layers} × {count} × {units}", say("layers × rows × units")]
    every_character = f"{steps} × {count} × {facts['uniform_perplexity']}"
    rows: list[list[Cell]] = [
        ["X", every_character, say("steps × rows × characters, one-hot")],
        ["output", f"{steps} × {count} × {units}", say("steps × rows × units")],
        ["h_n", *every_layer],
    ]
    if choices.kind == "lstm":
        rows.append(["c_n", *every_layer])
    rows.append(["logits", every_character, say("steps × rows × characters")])
    rows.append([say("weights"), f"{facts['weights']:,}", say("in all")])
    return Table([say("tensor"), say("shape"), say("axes")], rows)


LAB = Lab(
    "charrnn",
    later("Character RNN"),
    later("What does a recurrent network learn of a text in seconds, and what does clipping do?"),
    position=60,
    compute=compute,
    training=LabTraining(settings, run),
)

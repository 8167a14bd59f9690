"""Charts of the lab of characters: perplexity and gradient norms while a network learns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from demo.i18n import say
from demo.widgets.figures.curves.live import Level, LiveCurve, live_figure
from demo.widgets.figures.drawing.figure import Figure
from demo.widgets.figures.drawing.palette import LIGHT

if TYPE_CHECKING:
    from models.labs.character_training import CharacterResult


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

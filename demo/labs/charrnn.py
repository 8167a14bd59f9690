"""A language model of characters trained live: RNN, GRU, LSTM, clipping, truncated backpropagation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from demo.answers.content import Cell, Chart, Content, NotHereError, Table
from demo.answers.controls import Controls
from demo.figures.figure import Figure
from demo.figures.live_curve import Level, LiveCurve, live_figure
from demo.figures.palette import LIGHT
from demo.i18n import later, quoted, say
from demo.i18n.display import number_text
from demo.labs.lab import Lab, Trains
from demo.labs.own_text import own_text
from models.labs.novel import novel
from models.labs.progress import Progress

if TYPE_CHECKING:
    from models.labs.character_training import Learnt

KINDS = (("rnn", "RNN"), ("gru", "GRU"), ("lstm", "LSTM"))
OFF = "off"
THRESHOLDS = ("0.25", "1", "5")
RATES = ("0.5", "1", "2", "4")
FULL, REGULAR, RANDOM = "full", "truncated", "randomised"
LONG = 1e6  # from here on a number is told by its size
EXPONENTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
LEAST = 500  # characters of the reader's own text


@dataclass(frozen=True)
class Settings:
    """All that the training hangs on."""

    kind: str
    layers: int
    threshold: float | None
    rate: float
    truncation: str
    every: int
    kept: float
    text: str  # the reader's own; "" is the novel


def settings(chosen: Controls) -> Settings:
    """Raises NotHereError for a text too short to learn from."""
    kind = chosen.choose("cell", say("recurrent cell"), [*KINDS], "rnn")
    layers = int(chosen.choose("layers", say("layers"), [("1", "1"), ("2", "2")], "1"))
    thresholds = [(OFF, say("not clipped")), *((threshold, f"θ = {threshold}") for threshold in THRESHOLDS)]
    threshold = chosen.choose("clipping", say("gradient norm"), thresholds, "1")
    rate = float(chosen.choose("rate", say("learning rate"), [(rate, rate) for rate in RATES], "2"))
    ways = [(FULL, say("full")), (REGULAR, say("truncated")), (RANDOM, say("randomised"))]
    truncation = chosen.choose("truncation", say("backpropagation through time"), ways, FULL)
    every, kept = 5.0, 0.5
    if truncation == REGULAR:
        every = chosen.number("every", say("cut every so many steps"), 1, 30, 1, 5)
    if truncation == RANDOM:
        kept = chosen.number("kept", "π", 0.1, 0.9, 0.1, 0.5)
    text = own_text(chosen)
    if text and len(text) < LEAST:
        raise NotHereError(
            "text_too_short_to_learn",
            "Your text has {count} characters; at least {least} are needed to learn from. Leave it empty "
            "for the novel.",
            count=len(text),
            least=LEAST,
        )
    clip = None if threshold == OFF else float(threshold)
    return Settings(kind, layers, clip, rate, truncation, round(every), kept, text)


def run(asked: Settings) -> Iterator[Progress[Learnt]]:
    """See `models.labs.character_training`."""
    from models.labs.character_training import Choices, trained

    choices = Choices(
        asked.kind, asked.layers, asked.rate, asked.threshold, asked.truncation, asked.every, asked.kept
    )
    return trained(asked.text or novel(), choices)


@lru_cache(64)  # who waits in line asks again and again
def _untrained(asked: Settings) -> Learnt:
    return next(run(asked)).learnt()


def look(chosen: Controls) -> Content:
    """The curves so far; before the training, what is known of the untrained network."""
    asked = settings(chosen)
    learnt: Learnt = chosen.trained(asked) or _untrained(asked)
    other: Learnt | None = chosen.trained(replace(asked, threshold=1.0 if asked.threshold is None else None))
    facts = _facts(asked, learnt)
    charts = [
        Chart("perplexity", say("Perplexity while it learns"), perplexity_figure(learnt)),
        Chart("norm", say("Gradient norm of each update"), norm_figure(learnt, asked.threshold, other)),
    ]
    return Content(
        [
            _finding(asked, learnt),
            *_norms(asked, learnt),
            _truncation(asked),
            _shapes(learnt),
            *_text(learnt),
            _doubt(),
        ],
        charts,
        _table(asked, learnt),
        facts,
    )


def _facts(asked: Settings, learnt: Learnt) -> dict[str, float | str]:
    from models.labs.character_training import HIDDEN, ROWS, WINDOW, weights_of

    after = learnt.judged[-1][1]
    facts: dict[str, float | str] = {
        "uniform_perplexity": learnt.alphabet,
        "perplexity_before": learnt.judged[0][1],
        "perplexity": "∞" if math.isinf(after) else after,
        "steps": WINDOW,
        "rows": ROWS,
        "units": HIDDEN,
        "layers": asked.layers,
        "weights": weights_of(asked.kind, learnt.alphabet, asked.layers),
        "output_gap": learnt.gap,
    }
    if learnt.norms:
        facts["largest_gradient_norm"] = max(learnt.norms)
    return facts


def perplexity_figure(learnt: Learnt) -> Figure:
    """Of each update before it, and of the text that was held out; a dashed line where guessing is."""
    losses = [math.exp(min(nats, 99)) for nats in learnt.losses]
    judged_at, judged = zip(*learnt.judged, strict=True)
    curves = [
        LiveCurve(say("while learning"), range(1, len(losses) + 1), losses, LIGHT.source, width=1),
        LiveCurve(say("held out"), judged_at, judged, LIGHT.output, marked=True, width=2),
    ]
    return live_figure(curves, say("perplexity"), learnt.updates, Level(learnt.alphabet, "dash"))


def norm_figure(learnt: Learnt, threshold: float | None, other: Learnt | None) -> Figure:
    """Before clipping; the threshold as a dotted line, and in grey what this reader trained the other way."""
    curves = [(say("this training"), learnt, LIGHT.attention)]
    if other is not None:
        name = say("clipped before") if threshold is None else say("not clipped before")
        curves.insert(0, (name, other, LIGHT.muted))
    return live_figure(
        [
            LiveCurve(name, range(1, len(curve.norms) + 1), curve.norms, colour)
            for name, curve, colour in curves
        ],
        "‖g‖",
        learnt.updates,
        None if threshold is None else Level(threshold, "dot"),
    )


def _value(number: float) -> str:
    if number < LONG or math.isinf(number):
        return number_text(number, 2)
    mantissa, exponent = f"{number:.0e}".split("e+")
    return f"{mantissa} × 10{str(int(exponent)).translate(EXPONENTS)}"


def _finding(asked: Settings, learnt: Learnt) -> str:
    values = {
        "cell": asked.kind.upper(),
        "before": _value(learnt.judged[0][1]),
        "after": _value(learnt.judged[-1][1]),
        "size": learnt.alphabet,
        "count": learnt.judged_characters,
        "steps": len(learnt.losses),
    }
    if learnt.broke:
        return say(
            "Training broke down at update {steps}: the loss is no number any more. Clip the gradient, or "
            "lower the learning rate.",
            steps=len(learnt.losses) + 1,
        )
    if not learnt.losses:
        return say(
            "Untrained, this {cell} has perplexity {before} on {count} characters that it will not learn "
            "from; guessing evenly among {size} has {size}. Press Train.",
            **{name: values[name] for name in ("cell", "before", "count", "size")},
        )
    told = {name: values[name] for name in ("cell", "before", "after", "size", "steps")}
    if learnt.judged[-1][1] > learnt.alphabet:
        return say(
            "After {steps} updates this {cell} has perplexity {after} on text that it has not seen: worse "
            "than guessing evenly, which has {size}. It began at {before}.",
            **told,
        )
    return say(
        "After {steps} updates this {cell} has perplexity {after} on text that it has not seen. It began at "
        "{before}; guessing evenly among all characters has {size}.",
        **told,
    )


def _norms(asked: Settings, learnt: Learnt) -> list[str]:
    if not learnt.norms:
        return []
    largest = max(learnt.norms)
    told = {"norm": _value(largest), "at": learnt.norms.index(largest) + 1}
    if asked.threshold is None:
        return [
            say(
                "Largest gradient norm: {norm}, at update {at}. Nothing was clipped, so one steep place may "
                "throw the weights far away.",
                **told,
            )
        ]
    return [
        say(
            "Largest gradient norm: {norm}, at update {at}. {count} of {all} gradients were longer than "
            "{threshold} and were shortened to it: g ← min(1, θ/‖g‖) g.",
            **told,
            count=sum(norm > asked.threshold for norm in learnt.norms),
            all=len(learnt.norms),
            threshold=f"{asked.threshold:g}",
        )
    ]


def _truncation(asked: Settings) -> str:
    from models.labs.character_training import WINDOW

    if asked.truncation == REGULAR:
        return say(
            "The gradient is cut off every {every} steps, so nothing is learnt about what lies further back.",
            every=asked.every,
        )
    if asked.truncation == RANDOM:
        return say(
            "At each step the gradient flows on with probability {kept}, multiplied by 1/{kept}, else it is "
            "cut: its mean is the full gradient, but it scatters more.",
            kept=f"{asked.kept:g}",
        )
    return say(
        "The gradient flows back through all {steps} characters of a window. The next window takes over h, "
        "but no gradient.",
        steps=WINDOW,
    )


def _shapes(learnt: Learnt) -> str:
    return say(
        "output has the last layer's h after every step, h_n every layer's h after the last step. The "
        "largest difference between output[-1] and h_n[-1]: {gap}.",
        gap=f"{learnt.gap:g}",
    )


def _text(learnt: Learnt) -> list[str]:
    if not learnt.sample:
        return []
    return [say("Sampled from it: {text}", text=quoted(" ".join(learnt.sample.split())))]


def _doubt() -> str:
    return say(
        "A small network, a short text, one run from one seed: another seed may rank two settings the other "
        "way. The novel is Alice's Adventures in Wonderland (Lewis Carroll, 1865, public domain)."
    )


def _table(asked: Settings, learnt: Learnt) -> Table:
    """The shapes of one window, and the size of the network."""
    from models.labs.character_training import HIDDEN, ROWS, WINDOW, weights_of

    size, layers = learnt.alphabet, asked.layers
    every_layer: list[Cell] = [f"{layers} × {ROWS} × {HIDDEN}", say("layers × rows × units")]
    every_character = f"{WINDOW} × {ROWS} × {size}"
    rows: list[list[Cell]] = [
        ["X", every_character, say("steps × rows × characters, one-hot")],
        ["output", f"{WINDOW} × {ROWS} × {HIDDEN}", say("steps × rows × units")],
        ["h_n", *every_layer],
    ]
    if asked.kind == "lstm":
        rows.append(["c_n", *every_layer])
    rows.append(["logits", every_character, say("steps × rows × characters")])
    rows.append([say("weights"), f"{weights_of(asked.kind, size, layers):,}", say("in all")])
    return Table([say("tensor"), say("shape"), say("axes")], rows)


LAB = Lab(
    "charrnn",
    later("Character RNN"),
    later("What does a recurrent network learn of a text in seconds, and what does clipping do?"),
    position=60,
    look=look,
    trains=Trains(settings, run),
)

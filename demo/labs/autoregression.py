"""A linear model on the last values of a noisy signal: one step ahead, k steps ahead, free-running."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from demo.i18n import later, say
from demo.i18n.display import number_text, power_text
from demo.labs import Lab
from demo.labs.lab_layout import lab_layout
from demo.widgets.answers.content import Cell, Chart, Content, Controls, Table
from demo.widgets.figures.drawing import legend_above, note, scatter_trace, upright_line
from demo.widgets.figures.figure import LIGHT, Figure

if TYPE_CHECKING:
    from models.labs.autoregression import Predicted

MAX_STEPS = 100  # steps
MIN_VALUES, MAX_VALUES = 150, 900  # values; more than the longest window
TABLE_STEPS = (1, 2, 4, 8, 16, 32, 64)  # steps ahead, besides the reader's
MAX_DRAWN_FACTOR = 1.4  # times the highest value; the chart cuts predictions off there
DIGITS = 4  # digits of drawn values
NOTE_FONT = {"color": LIGHT.muted, "size": 12}
MIN_WHOLE_ERROR, MIN_POWER_ERROR = 100, 1e6  # errors from here on are whole, and powers of ten


def compute(controls: Controls) -> Content:
    """Show the errors on the values that the model has not read, by the number of steps ahead."""
    from models.labs.autoregression import facts_of, predict, signal

    names = (say("slow sine"), say("fast sine"), say("two sines"), say("square wave"), say("random walk"))
    signals = ("slow", "fast", "two", "square", "walk")
    name = controls.choose("signal", say("signal"), [*zip(signals, names, strict=True)])
    noise = controls.number("noise", say("noise (standard deviation)"), 0, 1, 0.05, 0.2)
    order = round(controls.number("tau", say("values it reads, τ"), 1, 100, 1, 10))
    steps = round(controls.number("k", say("steps ahead, k"), 1, MAX_STEPS, 1, 16))
    read = round(controls.number("read", say("values to train on"), MIN_VALUES, MAX_VALUES, 50, 600))
    seed = round(controls.number("seed", say("draw of the noise"), 0, 99, 1, 0))
    result = predict(signal(name, noise, seed), read, order, MAX_STEPS)
    charts = [
        Chart("signal", say("The signal and its predictions"), signal_figure(result, steps)),
        Chart("errors", say("Error by steps ahead"), errors_figure(result, steps)),
    ]
    return Content(
        [_finding(result, steps), *_meaning(result, is_random=noise > 0 or name == "walk")],
        charts,
        _table(result, steps),
        facts_of(result, steps),
    )


def signal_figure(prediction: Predicted, steps: int) -> Figure:
    """Draw the values and three predictions of each, with a line at the end of the training part."""
    times = list(range(1, len(prediction.values) + 1))
    lines = [
        (say("signal"), LIGHT.muted, times, prediction.values.tolist(), 1.0),
        (say("1 step ahead"), LIGHT.output, times, prediction.ahead[0].tolist(), 1.5),
        (_steps_ahead(steps), LIGHT.attention, times, prediction.ahead[steps - 1].tolist(), 2.0),
        (say("free-running"), LIGHT.edit, times[prediction.read :], prediction.free.tolist(), 2.0),
    ]
    if steps == 1:
        del lines[2]
    traces = [
        scatter_trace(
            "lines",
            name=name,
            x=x,
            y=[None if math.isnan(value) else round(value, DIGITS) for value in y],
            line={"color": colour, "width": width},
            hover="%{y:.2f}",
        )
        for name, colour, x, y, width in lines
    ]
    highest = MAX_DRAWN_FACTOR * float(prediction.values.abs().max())
    across = {"title": {"text": say("time t")}, "range": [0, times[-1]]}
    layout = _layout(across, {"range": [-highest, highest]}, 400)
    layout["shapes"] = [upright_line(prediction.read, LIGHT.muted)]
    layout["annotations"] = [
        note(text, prediction.read, 1, f"{side} bottom", paper="y", xshift=shift, font=NOTE_FONT)
        for text, side, shift in ((say("training"), "right", -6), (say("test"), "left", 6))
    ]
    return Figure(traces, layout)


def errors_figure(prediction: Predicted, steps: int) -> Figure:
    """Draw the error by steps ahead, with the errors of the noise alone and of predicting the mean."""
    highest = 1.6 * max(prediction.mean_error, prediction.noise_error)
    ahead = list(range(1, len(prediction.errors) + 1))
    curve = scatter_trace(
        "lines",
        name=say("linear model"),
        x=ahead,
        y=[round(error, DIGITS) for error in prediction.errors],
        line={"color": LIGHT.output, "width": 2},
        hover="k = %{x}: %{y:.3f}",
    )
    point = {
        **curve,
        "mode": "markers",
        "x": [steps],
        "y": [round(prediction.errors[steps - 1], DIGITS)],
        "marker": {"color": LIGHT.attention, "size": 10},
        "showlegend": False,
    }
    levels = [
        {
            **curve,
            "name": name,
            "x": [ahead[0], ahead[-1]],
            "y": [round(error, DIGITS)] * 2,
            "line": {"color": colour, "width": 1.5, "dash": dash},
            "hovertemplate": "%{y:.3f}<extra></extra>",
        }
        for name, error, colour, dash in (
            (say("the mean"), prediction.mean_error, LIGHT.muted, "5px,3px"),
            (say("free-running"), prediction.free_error, LIGHT.edit, "5px,3px"),
            (say("noise alone"), prediction.noise_error, LIGHT.source, "2px,3px"),
        )
    ]
    across = {"title": {"text": say("steps ahead, k")}, "range": [0, ahead[-1] + 1]}
    upright = {"title": {"text": say("error (RMSE)")}, "range": [0, highest]}
    return Figure([curve, point, *levels], _layout(across, upright, 320))


def _layout(across: dict[str, Any], upright: dict[str, Any], width: int) -> dict[str, Any]:
    return lab_layout(across, upright, width, height=300, top=56, bottom=44, legend=legend_above(1.08))


def _steps_ahead(steps: int) -> str:
    return say("1 step ahead") if steps == 1 else say("{count} steps ahead", count=steps)


def _finding(prediction: Predicted, steps: int) -> str:
    one = _short(prediction.errors[0])
    if steps == 1:
        free = _short(prediction.free_error)
        return say("One step ahead the error is {one}; free-running, {free}.", one=one, free=free)
    return say(
        "One step ahead the error is {one}; {count} steps ahead it is {many}; free-running, {free}.",
        one=one,
        count=steps,
        many=_short(prediction.errors[steps - 1]),
        free=_short(prediction.free_error),
    )


def _meaning(prediction: Predicted, *, is_random: bool) -> list[str]:
    """Say why errors add up, what to compare them with, and what to doubt if the signal is random."""
    worse = not prediction.free_error <= prediction.mean_error
    doubt = say("Other noise gives other numbers: change its draw before you believe a small difference.")
    beside = say(
        "The error is the root of the mean squared error (RMSE) on the {count} test values. For comparison: "
        "the noise alone makes {noise}, which nobody can predict, and always saying the mean makes {mean}.",
        count=len(prediction.free),
        noise=_short(prediction.noise_error),
        mean=_short(prediction.mean_error),
    )
    return [
        say(
            "The model is x(t) = w₁ x(t−1) + … + wₙ x(t−n) + b with n = {order}, solved exactly by least "
            "squares. To look further ahead it reads its own predictions as if they were values: "
            "what is wrong in them goes on into the next.",
            order=prediction.order,
        ),
        beside,
        say("Free-running is worse than always saying the mean here.")
        if worse
        else say("Free-running is still no worse than always saying the mean here."),
        *([doubt] if is_random else []),
    ]


def _table(prediction: Predicted, chosen_steps: int) -> Table:
    one = prediction.errors[0]
    rows: list[list[Cell]] = [
        [str(steps), _short(prediction.errors[steps - 1]), _times(prediction.errors[steps - 1], one)]
        for steps in sorted({*TABLE_STEPS, chosen_steps})
    ]
    rows.append([say("free-running"), _short(prediction.free_error), _times(prediction.free_error, one)])
    return Table([say("steps ahead, k"), say("error (RMSE)"), say("times that of one step")], rows)


def _short(error: float) -> str:
    if error < MIN_WHOLE_ERROR:
        return number_text(error, 3)
    return number_text(error, 0) if error < MIN_POWER_ERROR else power_text(error)


def _times(error: float, one: float) -> str:
    """Return a ratio as text; none where the divisor is zero up to rounding."""
    if one <= 1e-9:
        return ""
    return number_text(error / one, 1) if error < MIN_POWER_ERROR * one else power_text(error / one)


LAB = Lab(
    "autoregression",
    later("Autoregression"),
    later("How far ahead can a model predict if it reads its own predictions?"),
    position=50,
    compute=compute,
)

"""Curves of a run against its steps: loss, score, learning rate and gradient norm, with earlier runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demo.i18n import later, say
from demo.i18n.display import plotly_text, short_text
from demo.widgets.figures.drawing import chart_layout, number_ticks, plain_axis, scatter_trace
from demo.widgets.figures.figure import LIGHT, Figure
from models.training.events import EvaluationCompleted, StepCompleted, TrainingEvent

MAX_POINTS = 600  # most points of a curve; a chart is hardly wider
MAX_OVERLAY_POINTS = 240  # most points of an earlier run's curve
STEP_RANGE_FACTOR = 1.02  # times the newest step, so that its marker is not cut
CHARTS = ("loss", "score", "rate", "norm")
CHART_HEIGHT = 190  # pixels: four charts, status and scrubber fit a screen
MAX_TITLE_CHARACTERS = 40  # most characters of an earlier run's title in a hover text
DASHES = ("dash", "dot", "dashdot", "longdash", "longdashdot")
AT_STEP = later("{value} at step {step}")
SCORES = {"bleu": "BLEU", "exact_match": later("exact match, %")}
TITLES = {
    "loss": later("loss, nats per token ↓"),
    "rate": later("learning rate"),
    "norm": later("gradient norm"),
}


@dataclass(frozen=True)
class TrainingCurve:
    """Values against steps; both of one length, steps rising."""

    steps: tuple[int, ...] = ()
    values: tuple[float, ...] = ()

    @property
    def last(self) -> float | None:
        """The newest value; None if there is none."""
        return self.values[-1] if self.values else None


@dataclass(frozen=True)
class TrainingCurves:
    """The reports of a run, thinned to what a chart can show."""

    train: TrainingCurve
    valid: TrainingCurve
    best: tuple[int, float] | None  # step and value of the lowest validation loss
    score: TrainingCurve
    rate: TrainingCurve
    before: TrainingCurve  # norm of the gradient before clipping
    after: TrainingCurve
    clips: bool  # whether clipping changed anything
    clip_norm: float = 0.0  # the norm above which a gradient is clipped; 0 = never


def training_curves(
    events: Iterable[TrainingEvent],
    score: str = "exact_match",
    points: int = MAX_POINTS,
    clip_norm: float = 0.0,
) -> TrainingCurves:
    """Return the finite values of a run as curves; `score` names the field of an evaluation.

    `clip_norm` is the recipe's: the norm above which a gradient is clipped, 0 for never.
    """
    events = list(events)
    steps = [event for event in events if isinstance(event, StepCompleted)]
    evaluations = [event for event in events if isinstance(event, EvaluationCompleted)]
    losses = [(event.loss, event.step) for event in evaluations if math.isfinite(event.loss)]
    best = min(losses, default=None)
    return TrainingCurves(
        train=_curve([(event.step, event.loss) for event in steps], points),
        valid=_curve([(event.step, event.loss) for event in evaluations], points),
        best=None if best is None else (best[1], best[0]),
        score=_curve([(event.step, getattr(event, score)) for event in evaluations], points),
        rate=_curve([(event.step, event.learning_rate) for event in steps], points),
        before=_curve([(event.step, event.gradient_norm) for event in steps], points),
        after=_curve([(event.step, event.clipped_norm) for event in steps], points),
        clips=any(event.clipped_norm < event.gradient_norm for event in steps),
        clip_norm=clip_norm,
    )


def _curve(pairs: Sequence[tuple[int, float | None]], points: int) -> TrainingCurve:
    finite = [(step, value) for step, value in pairs if value is not None and math.isfinite(value)]
    thin = [finite[index] for index in sample_indices([value for _, value in finite], points)]
    return TrainingCurve(tuple(step for step, _ in thin), tuple(float(f"{value:.4g}") for _, value in thin))


def sample_indices(values: Sequence[float], points: int) -> list[int]:
    """Return at most `points` indices: the lowest and the highest of each stretch, so no spike is lost.

    The first and the last value are always among them.
    """
    length = len(values)
    if length <= points:
        return list(range(length))
    stretches = (points - 2) // 2
    indices = {0, length - 1}
    for stretch in range(stretches):
        inner = range(1 + stretch * (length - 2) // stretches, 1 + (stretch + 1) * (length - 2) // stretches)
        indices |= {min(inner, key=values.__getitem__), max(inner, key=values.__getitem__)}
    return sorted(indices)


def curve_figure(
    chart: str, curves: TrainingCurves, earlier: Mapping[str, TrainingCurves], score: str
) -> Figure:
    """Return one of `CHARTS`; `earlier` holds curves of other runs by title, drawn as grey dashes."""
    behind = [
        _earlier(chart, title, others, DASHES[index % len(DASHES)])
        for index, (title, others) in enumerate(earlier.items())
    ]
    traces = [*behind, *_traces(chart, curves)]
    title = say(SCORES[score]) + " ↑" if chart == "score" else say(TITLES[chart])
    end = max(_end(one) for one in (curves, *earlier.values()))
    layout = _layout(title, chart, [0, STEP_RANGE_FACTOR * (end or 1)], _ticks(traces))
    return Figure(traces, layout)


def _end(curves: TrainingCurves) -> int:
    return max(curve.steps[-1] if curve.steps else 0 for curve in (curves.train, curves.valid))


def _ticks(traces: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return round numbers for a logarithmic axis over all values; Plotly's own labels would overlap."""
    values = [value for trace in traces for value in trace["y"] if value > 0]
    if not values:
        return {}
    return number_ticks(min(values) / 1.3, max(values) * 1.3)


def _traces(chart: str, curves: TrainingCurves) -> list[dict[str, Any]]:
    thin = {"color": LIGHT.output, "width": 1.3}
    strong = {"color": LIGHT.text, "width": 1.8}
    if chart == "loss":
        traces = [
            _line(later("training"), curves.train, thin),
            _points(later("validation"), curves.valid, strong),
        ]
        return traces + ([_best(*curves.best)] if curves.best else [])
    if chart == "score":
        return [_points(later("validation"), curves.score, strong)]
    if chart == "rate":
        return [_line("learning rate", curves.rate, thin)]
    after = [_line(later("after clipping"), curves.after, strong)] if curves.clips else []
    threshold = [_threshold(curves)] if curves.clip_norm and curves.before.steps else []
    return [_line(later("before clipping"), curves.before, thin), *after, *threshold]


def _threshold(curves: TrainingCurves) -> dict[str, Any]:
    """Return a level line with its meaning at its end, where most gradients have fallen below it."""
    text = say("clipped above {norm}", norm=short_text(curves.clip_norm, 6))
    level = TrainingCurve((0, curves.before.steps[-1]), (curves.clip_norm,) * 2)
    return {
        **_line("clipping threshold", level, {"color": LIGHT.attention, "width": 1.4, "dash": "dot"}),
        "mode": "lines+text",
        "text": ["", text],
        "textposition": "top left",
        "textfont": {"color": LIGHT.text, "size": 11},
        "cliponaxis": False,  # it may be the highest of all
        "hovertemplate": f"{text}<extra></extra>",
    }


def _at_step() -> str:
    return say(AT_STEP, value="%{y:.4g}", step="%{x:,}")


def _earlier(chart: str, title: str, curves: TrainingCurves, dash: str) -> dict[str, Any]:
    """Return the curve of an earlier run; its loss is the validation loss, if there is one."""
    loss = curves.valid if curves.valid.values else curves.train
    curve = {"loss": loss, "score": curves.score, "rate": curves.rate, "norm": curves.before}[chart]
    name = plotly_text(title, MAX_TITLE_CHARACTERS)
    return _line(name, curve, {"color": LIGHT.muted, "width": 1.4, "dash": dash})


def _line(name: str, curve: TrainingCurve, line: dict[str, Any]) -> dict[str, Any]:
    return scatter_trace(
        "lines" if len(curve.steps) > 1 else "markers",
        name=name,
        x=list(curve.steps),
        y=list(curve.values),
        line=line,
        hover=f"{say(name)}<br>{_at_step()}",
    )


def _points(name: str, curve: TrainingCurve, line: dict[str, Any]) -> dict[str, Any]:
    # Hundreds of markers would be a thick line.
    size = 6 if len(curve.steps) <= 40 else 3.5
    return {
        **_line(name, curve, line),
        "mode": "lines+markers",
        "marker": {"color": line["color"], "size": size},
    }


def _best(step: int, value: float) -> dict[str, Any]:
    ring = {"symbol": "circle-open", "size": 13, "color": LIGHT.text, "line": {"width": 2}}
    return scatter_trace(
        "markers+text",
        name="best",
        x=[step],
        y=[float(f"{value:.4g}")],
        text=[say("best")],
        textposition="top left",
        textfont={"color": LIGHT.text, "size": 11},
        marker=ring,
        cliponaxis=False,
        hover=f"{say('best validation loss')}<br>{_at_step()}",
    )


def _layout(title: str, chart: str, steps: list[float], ticks: dict[str, Any]) -> dict[str, Any]:
    """Return the layout; `meta.log` has the fields that make a y axis logarithmic."""
    return chart_layout(
        CHART_HEIGHT,
        (54, 16, 30, 38),
        showlegend=False,
        meta={"min_width": 240, "log": {"type": "log", **ticks}},
        title={
            "text": title,
            "font": {"color": LIGHT.muted, "size": 12},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yanchor": "top",
            "pad": {"l": 4, "t": 6},
        },
        xaxis=plain_axis(say("step"), "right", standoff=4, range=steps, nticks=7),
        yaxis=plain_axis(
            rangemode="normal" if chart == "norm" else "tozero",
            nticks=6,
            exponentformat="none",
            **{"type": "log", **ticks} if chart == "norm" else {},
        ),
    )

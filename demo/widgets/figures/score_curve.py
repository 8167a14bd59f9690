"""Score against length penalty: how each alpha ranks the finished outputs, and where the lead changes.

The score of an output is log-probability / base^alpha (see `models.decoding.search.strategy`), so
the logarithm of its size is linear in alpha: on a logarithmic axis each output is a straight line, and two
cross once at most.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demo.i18n import say
from demo.i18n.display import number_text, short_text
from demo.widgets.figures.drawing import chart_layout, log_ticks, plain_axis, scatter_trace
from demo.widgets.figures.figure import LIGHT, Figure
from models.decoding.trace import DecodingTrace

NORMALIZERS = ("none", "power", "gnmt")
MIN_ALPHA, MAX_ALPHA = -2.0, 2.0  # wider where the search itself went further
POINTS_PER_LINE = 81  # points of a line, which the pointer can hit
TIE_ALPHA = 1e-9  # difference of alpha
DRAWN_ZERO = 1e-6  # nats; what is drawn for a log-probability of zero, which has no logarithm
CHART_HEIGHT = 300  # pixels
LEFT, RIGHT, TOP, BOTTOM = 58, 34, 22, 46  # pixels, around the plot
LABEL_GAP = 14  # pixels between two numbers at the ends of lines
AXIS_PADDING = 0.07  # share of the axis beyond the outermost lines


@dataclass(frozen=True)
class ScoreCurve:
    """One different output and its score for every alpha."""

    hypotheses: tuple[int, ...]  # indices of the hypotheses that are this output
    length: int  # tokens, the end token included
    log_prob: float  # nats, finite

    def base(self, kind: str) -> float:
        """Return the base of which alpha is the exponent, for one of NORMALIZERS."""
        return {"none": 1.0, "power": float(self.length), "gnmt": (5 + self.length) / 6}[kind]

    def score(self, kind: str, alpha: float) -> float:
        """Return log-probability / base^alpha, in nats."""
        return float(self.log_prob / self.base(kind) ** alpha)


@dataclass(frozen=True)
class Takeover:
    """The alpha from which another output leads."""

    alpha: float
    overtaken: int  # hypothesis that leads just below alpha
    leader: int  # hypothesis that leads just above it


@dataclass(frozen=True)
class ScoreCurves:
    """All different outputs of a trace, under every normaliser."""

    curves: tuple[ScoreCurve, ...]  # two or more curves, in the order of the hypotheses
    kind: str  # the search's own normaliser
    alpha: float  # the search's own
    low: float
    high: float
    takeovers: Mapping[str, tuple[Takeover, ...]]  # takeovers of each normaliser, alpha rising

    def curve_of(self, hypothesis: int) -> ScoreCurve:
        """Return the curve of a hypothesis. Raises KeyError if it has none."""
        for curve in self.curves:
            if hypothesis in curve.hypotheses:
                return curve
        raise KeyError(hypothesis)

    def leader(self, kind: str, alpha: float) -> int:
        """Return the hypothesis with the best score, the first one of a tie."""
        return max(self.curves, key=lambda curve: curve.score(kind, alpha)).hypotheses[0]

    def level(self, curve: ScoreCurve, kind: str, alpha: float) -> float:
        """Return the score with lengths in units of the first output's, whose own score is then constant.

        That multiplies all scores of one alpha by the same number, so it changes no order.
        """
        return float(curve.log_prob / (curve.base(kind) / self.curves[0].base(kind)) ** alpha)


def score_curves(trace: DecodingTrace) -> ScoreCurves | None:
    """Return the curves of a trace; None with fewer than two different outputs of nonzero probability."""
    outputs: dict[tuple[int, ...], list[int]] = {}
    for index, hypothesis in enumerate(trace.hypotheses):
        if math.isfinite(hypothesis.log_prob):
            outputs.setdefault(hypothesis.token_ids, []).append(index)
    if len(outputs) < 2:
        return None
    curves = tuple(
        # Rounding may lead above 0, where a score has no logarithm.
        ScoreCurve(tuple(indices), len(token_ids), min(0.0, trace.hypotheses[indices[0]].log_prob))
        for token_ids, indices in outputs.items()
    )
    kind, alpha = normalizer_of(trace)
    low, high = min(MIN_ALPHA, alpha), max(MAX_ALPHA, alpha)
    return ScoreCurves(
        curves, kind, alpha, low, high, {name: takeovers(curves, name, low, high) for name in NORMALIZERS}
    )


def normalizer_of(trace: DecodingTrace) -> tuple[str, float]:
    """Return the normaliser and the alpha that ranked a trace; ("none", 0) if it names neither."""
    settings = trace.settings
    kind = settings.get("normalizer", "power" if "length_penalty" in settings else "none")
    return (kind if kind in NORMALIZERS else "none"), float(settings.get("length_penalty") or 0.0)


def takeovers(curves: Sequence[ScoreCurve], kind: str, low: float, high: float) -> tuple[Takeover, ...]:
    """Return the exact changes of the lead as alpha rises from `low` to `high`; longer outputs take it."""
    result: list[Takeover] = []
    alpha = low
    # The longest of the outputs level at `low` leads just above it; equal ones keep their order.
    leader = max(curves, key=lambda curve: (-_loss(curve, kind, low), curve.base(kind)))
    while True:
        longer = [curve for curve in curves if curve.base(kind) > leader.base(kind)]
        crossings = [(crossing(leader, curve, kind), curve) for curve in longer]
        ahead = [(max(start, alpha), curve) for start, curve in crossings if start <= high]
        if not ahead:
            return tuple(result)
        alpha = min(index for index, _ in ahead)
        level = [curve for index, curve in ahead if index <= alpha + TIE_ALPHA]
        longest = max(curve.length for curve in level)
        overtaken = leader
        leader = max((curve for curve in level if curve.length == longest), key=lambda curve: curve.log_prob)
        result.append(Takeover(alpha, overtaken.hypotheses[0], leader.hypotheses[0]))


def crossing(one: ScoreCurve, other: ScoreCurve, kind: str) -> float:
    """Return the alpha at which two outputs have equal scores, ln(l1 / l2) / ln(b1 / b2); else infinity."""
    bases = one.base(kind), other.base(kind)
    if bases[0] == bases[1] or not one.log_prob or not other.log_prob:
        return math.inf
    return math.log(one.log_prob / other.log_prob) / math.log(bases[0] / bases[1])


def _loss(curve: ScoreCurve, kind: str, alpha: float) -> float:
    """Return the logarithm of minus the score: linear in alpha, least for the leader."""
    return math.log(-curve.log_prob) - alpha * math.log(curve.base(kind)) if curve.log_prob else -math.inf


def takeover_sentence(takeover: Takeover) -> str:
    """Say which hypothesis overtakes which, and at which alpha."""
    return say(
        "From α = {alpha} hypothesis {leader} overtakes hypothesis {overtaken}.",
        alpha=number_text(takeover.alpha),
        leader=takeover.leader + 1,
        overtaken=takeover.overtaken + 1,
    )


def score_marks(curves: ScoreCurves, kind: str) -> dict[str, Any]:
    """Return what depends on the normaliser besides the lines: axis, line ends, changes of the lead."""
    ends = [
        [_height(curves, curve, kind, alpha) for alpha in (curves.low, curves.high)]
        for curve in curves.curves
    ]
    low, high = (math.log10(pick(pick(pair) for pair in ends)) for pick in (min, max))
    room = max(AXIS_PADDING * (high - low), 0.01)
    changes = curves.takeovers[kind]
    ticks = log_ticks(10 ** (low - room), 10 ** (high + room))
    return {
        "axis": {
            "range": [round(high + room, 5), round(low - room, 5)],  # upwards is better
            "tickvals": ticks,
            "ticktext": [short_text(-tick, 12) for tick in ticks],
        },
        "ends": _ends(curves, [end for _, end in ends], high - low + 2 * room),
        "changes": {
            "x": [round(change.alpha, 6) for change in changes],
            "y": [_height(curves, curves.curve_of(change.leader), kind, change.alpha) for change in changes],
            "text": [number_text(change.alpha) for change in changes],
            "hovertext": [takeover_sentence(change) for change in changes],
            "customdata": [change.leader for change in changes],
        },
    }


def _height(curves: ScoreCurves, curve: ScoreCurve, kind: str, alpha: float) -> float:
    return float(f"{max(-curves.level(curve, kind, alpha), DRAWN_ZERO):.6g}")


def _ends(curves: ScoreCurves, heights: Sequence[float], decades: float) -> dict[str, list[Any]]:
    """Return the numbers at the right ends, for as many lines as fit; the first outputs come first."""
    pixels = (CHART_HEIGHT - TOP - BOTTOM) / decades
    placed: list[tuple[float, int]] = []
    for height, curve in zip(heights, curves.curves, strict=True):
        if all(abs(math.log10(height / other)) * pixels >= LABEL_GAP for other, _ in placed):
            placed.append((height, curve.hypotheses[0]))
    return {
        "x": [curves.high] * len(placed),
        "y": [height for height, _ in placed],
        "text": [f" {hypothesis + 1}" for _, hypothesis in placed],
    }


def score_curve_figure(curves: ScoreCurves, kind: str) -> Figure:
    """Return the figure for one normaliser: a line for each output, changes of the lead, line ends.

    `customdata` of a line is the true score, `meta` its hypotheses. The script that shows the figure writes
    the hover texts.
    """
    marks = score_marks(curves, kind)
    span = (curves.high - curves.low) / (POINTS_PER_LINE - 1)
    alphas = [curves.low + span * index for index in range(POINTS_PER_LINE)]
    lines = [
        scatter_trace(
            "lines",
            x0=curves.low,
            dx=span,
            y=[_height(curves, curve, kind, alpha) for alpha in alphas],
            customdata=[round(curve.score(kind, alpha), 6) for alpha in alphas],
            meta=curve.hypotheses,
            line={"color": LIGHT.output, "width": 2},
            opacity=0.45,
        )
        for curve in curves.curves
    ]
    changes = scatter_trace(
        "markers+text",
        textposition="top center",
        cliponaxis=False,
        marker={"size": 11, "color": LIGHT.surface, "line": {"color": LIGHT.text, "width": 2}},
        hover="%{hovertext}",
        **marks["changes"],
    )
    ends = scatter_trace(
        "text",
        textposition="middle right",
        textfont={"color": LIGHT.muted},
        cliponaxis=False,
        hoverinfo="skip",
        **marks["ends"],
    )
    return Figure([*lines, changes, ends], _layout(curves, marks["axis"]))


def _layout(curves: ScoreCurves, heights: Mapping[str, Any]) -> dict[str, Any]:
    title = say("score, relative to hypothesis {rank}", rank=curves.curves[0].hypotheses[0] + 1)
    return chart_layout(
        CHART_HEIGHT,
        (LEFT, RIGHT, TOP, BOTTOM),
        showlegend=False,
        dragmode="pan",
        xaxis=plain_axis(say("length penalty α"), "right", range=[curves.low, curves.high]),
        yaxis=plain_axis(title, "up", type="log", tickmode="array", **heights),
    )

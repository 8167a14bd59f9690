"""Curves of a running training."""

from __future__ import annotations

import math

import pytest

from demo.widgets.figures.curves.live import Level, LiveCurve, live_figure
from tests.demo.widgets.figures.figure_check import checked


def curve(*values: float) -> LiveCurve:
    return LiveCurve("loss", range(1, len(values) + 1), values, "#000000")


def test_the_axis_spans_the_whole_training_and_omits_infinity() -> None:
    figure = live_figure([curve(4.0, math.inf, 2.0)], "loss", 50, Level(3.0, "dash"))
    checked(figure)
    assert figure.layout["xaxis"]["range"] == [0, 50]
    assert figure.data[0]["y"] == [4.0, None, 2.0]
    assert [line["y0"] for line in figure.layout["shapes"]] == [3.0]


@pytest.mark.parametrize(
    ("values", "ticks"), [((3.0, 40.0), ["5", "10", "20", "50"]), ((1.0, 1e4), 1), ((1e-2, 1e10), 2)]
)
def test_the_axis_has_few_ticks(values: tuple[float, ...], ticks: object) -> None:
    figure = live_figure([curve(*values)], "norm", 50)
    checked(figure)
    axis = figure.layout["yaxis"]
    assert axis.get("ticktext", axis.get("dtick")) == ticks
    assert axis.get("tickvals") == (list(map(float, ticks)) if isinstance(ticks, list) else None)


def test_the_ticks_of_an_untrained_network_are_apart() -> None:
    for curves, level in ([curve(31.0)], Level(31.0, "dash")), ([], Level(1.0, "dot")):
        axis = live_figure(curves, "norm", 50, level).layout["yaxis"]
        low, high = axis["range"]
        assert high - low >= 1  # decades
        assert len(axis["tickvals"]) > 2
        assert all(low <= math.log10(tick) <= high for tick in axis["tickvals"])


def test_a_plain_axis_has_no_decades() -> None:
    assert "type" not in live_figure([curve(1.0)], "loss", 50, log=False).layout["yaxis"]

from __future__ import annotations

import pytest

from demo.widgets.figures.attention import AttentionMap, attention_figure, attention_map
from demo.widgets.figures.drawing import overhang
from demo.widgets.figures.figure import DARK, LIGHT, attention_ramp, dark_by_light
from tests.demo.widgets.figures.figure_check import checked
from tests.fakes.traces import hostile_trace, library_trace


def test_each_row_is_the_attention_of_its_parent_row() -> None:
    trace = library_trace()
    shown_map = attention_map(trace, 6)
    assert shown_map is not None
    assert shown_map.output == ("␣a", "␣library", "&lt;/s&gt;")
    assert shown_map.source == ("␣la", "␣biblio", "teca", "&lt;/s&gt;")
    for node, weights in zip(trace.path(6), shown_map.weights, strict=True):
        attention = trace.row(node).attention
        assert attention is not None
        assert weights == pytest.approx(attention[0][0])


def test_the_path_of_another_node_has_other_rows() -> None:
    shown_map = attention_map(library_trace(), 5)
    assert shown_map is not None
    assert shown_map.output == ("␣the", "␣bank")
    assert len(shown_map.weights) == 2


def test_the_map_is_the_mean_over_layers_and_heads() -> None:
    mean = attention_map(library_trace(layers=2, heads=2), 6)
    assert mean is not None
    assert mean.weights[0][0] == pytest.approx((0.7 + 0.7 / 1.3 + 0.7 / 1.6 + 0.7 / 1.9) / 4)
    assert all(sum(row) == pytest.approx(1) for row in mean.weights)


def test_a_trace_without_attention_has_no_map() -> None:
    trace = library_trace(attention=False)
    assert attention_map(trace, 6) is None


def test_the_axes_name_their_content_and_direction() -> None:
    shown_map = attention_map(library_trace(), 6)
    assert shown_map is not None
    layout = checked(attention_figure(shown_map)).layout
    assert layout.xaxis.title.text == "source →"
    assert layout.yaxis.title.text == "← output"
    assert layout.xaxis.side == "top"
    assert layout.yaxis.range == (2.5, -0.5)  # the first step is on top
    assert layout.yaxis.ticktext == shown_map.output


@pytest.mark.parametrize("rows", [1, 2, 30])
def test_the_arrow_of_the_vertical_axis_fits_any_number_of_rows(rows: int) -> None:
    few = AttentionMap(("a", "b"), ("x",) * rows, ((0.5, 0.5),) * rows)
    layout = attention_figure(few).layout
    axis = layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]
    beyond = overhang("output", "down", axis)
    assert beyond <= layout["margin"]["b"]
    assert layout["meta"]["min_width"] < layout["meta"]["max_width"]


def test_a_repeated_token_keeps_its_own_row() -> None:
    shown_map = attention_map(library_trace(), 6)
    assert shown_map is not None
    figure = checked(attention_figure(shown_map))
    assert figure.layout.xaxis.tickvals == (0, 1, 2, 3)
    assert figure.data[0].x is None  # positions, never categories


def test_room_is_kept_for_a_longer_path() -> None:
    shown_map = attention_map(library_trace(), 5)
    assert shown_map is not None
    short, roomy = checked(attention_figure(shown_map)), checked(attention_figure(shown_map, rows=3))
    assert roomy.layout.yaxis.range == (2.5, -0.5)
    assert roomy.layout.height > short.layout.height


def test_labels_have_no_tags() -> None:
    shown_map = attention_map(hostile_trace(), 4)
    assert shown_map is not None
    layout = checked(attention_figure(shown_map)).layout
    assert not any("<" in label for label in (*layout.xaxis.ticktext, *layout.yaxis.ticktext))


def test_each_colour_has_one_meaning_and_a_dark_partner() -> None:
    exchange = dark_by_light()
    assert len(exchange) == len(set(exchange.values()))
    assert exchange[LIGHT.source] == DARK.source
    ramp = zip(attention_ramp(LIGHT), attention_ramp(DARK), strict=True)
    assert all(exchange[light] == dark for (_, light), (_, dark) in ramp)

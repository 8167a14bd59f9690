from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations, pairwise

import plotly.graph_objects as go
import pytest

from demo.widgets.figures.beam_tree import (
    EDGE_WIDTHS,
    ROOT_X,
    ROOT_Y,
    BeamTree,
    beam_tree,
    beam_tree_figure,
    column_width,
    edge_class,
)
from demo.widgets.figures.figure import LIGHT
from demo.widgets.figures.tree_layout import tree_y_by_node
from models.decoding.status import Status
from models.decoding.strategies.sampling import Sampling
from models.decoding.trace import DecodingTrace
from tests.demo.widgets.figures.figure_check import checked
from tests.fakes.markov import MarkovModel
from tests.fakes.traces import (
    END,
    WITHIN,
    F,
    K,
    Spec,
    build_trace,
    large_trace,
    library_trace,
    translation_trace,
)
from tests.models.decoding.search.running import trace_of

SAMPLES = replace(trace_of(MarkovModel.random(3, 3), Sampling(20), 6), strategy="sampling")
TRACES = [library_trace(), translation_trace(), large_trace(beam=4, steps=8, fan=4)]


def traces_of(figure: go.Figure, meaning: str) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.meta == meaning]


@pytest.mark.parametrize("trace", TRACES)
def test_every_recorded_candidate_is_drawn_once(trace: DecodingTrace) -> None:
    figure = checked(beam_tree_figure(beam_tree(trace)))
    drawn = [node for part in figure.data if part.customdata is not None for node in part.customdata]
    assert sorted(drawn) == sorted(trace.nodes)


@pytest.mark.parametrize("trace", TRACES)
def test_every_edge_comes_from_the_recorded_parent(trace: DecodingTrace) -> None:
    tree = beam_tree(trace)
    places = {node.id: (node.x, node.y) for node in tree.nodes}
    places_or_root = {None: (ROOT_X, ROOT_Y), **places}
    assert {edge.child: edge.parent for edge in tree.edges} == {
        node.id: node.parent for node in trace.nodes.values()
    }
    for edge in tree.edges:
        assert edge.start == places_or_root[edge.parent]
        assert edge.end == places[edge.child]


@pytest.mark.parametrize("trace", TRACES)
def test_the_drawn_lines_join_the_markers(trace: DecodingTrace) -> None:
    figure = checked(beam_tree_figure(beam_tree(trace)))
    index = {node: (x, y) for part in figure.data if part.customdata is not None
          for node, x, y in zip(part.customdata, part.x, part.y, strict=True)}  # fmt: skip
    expected = {(index.get(node.parent, (ROOT_X, ROOT_Y)), index[node.id]) for node in trace.nodes.values()}
    drawn = set()
    for part in traces_of(figure, "edge") + traces_of(figure, "pruned"):
        if part.mode == "lines":
            points = list(zip(part.x, part.y, strict=True))
            drawn |= {(points[i], points[i + 2]) for i in range(0, len(points), 4)}
            assert set(points[3::4]) == {(None, None)}  # a gap after each edge
    assert drawn == expected


def prefix_of(trace: DecodingTrace, node: int) -> tuple[int, ...]:
    return tuple(item.token_id for item in trace.path(node))


def test_samples_share_their_beginnings_and_a_count_says_how_many() -> None:
    tree, rows = beam_tree(SAMPLES), tree_y_by_node(SAMPLES)
    expected = Counter(prefix_of(SAMPLES, node) for node in SAMPLES.nodes)
    assert max(expected.values()) > 1
    assert sorted(prefix_of(SAMPLES, node.id) for node in tree.nodes) == sorted(expected)
    by_prefix = {prefix_of(SAMPLES, node.id): node for node in tree.nodes}
    for node in SAMPLES.nodes.values():
        prefix = prefix_of(SAMPLES, node.id)
        assert rows[node.id] == by_prefix[prefix].y
        count = expected[prefix]
        assert by_prefix[prefix].label.endswith(f" ×{count}") == (count > 1)


@pytest.mark.parametrize("trace", [*TRACES, SAMPLES])
def test_columns_are_steps_and_nodes_do_not_overlap(trace: DecodingTrace) -> None:
    columns = defaultdict(list)
    for node in beam_tree(trace).nodes:
        assert node.x == trace.nodes[node.id].step
        columns[node.x].append(node.y)
    for ys in columns.values():
        assert all(after - before >= 1 for before, after in pairwise(sorted(ys)))


@pytest.mark.parametrize("trace", [*TRACES, SAMPLES])
def test_no_edge_crosses_another(trace: DecodingTrace) -> None:
    columns = defaultdict(list)
    for edge in beam_tree(trace).edges:
        columns[edge.end[0]].append((edge.start[1], edge.end[1]))
    for edges in columns.values():
        for (a0, a1), (b0, b1) in combinations(edges, 2):
            assert (a0 - b0) * (a1 - b1) >= 0


def test_the_best_path_is_a_straight_line() -> None:
    trace = translation_trace()
    rows = tree_y_by_node(trace)
    assert {rows[node.id] for node in trace.path(trace.hypotheses[0].node)} == {0.0}


def test_both_sides_of_the_best_path_are_used() -> None:
    tree = beam_tree(large_trace(beam=4, steps=8, fan=4))
    assert tree.lowest < -2
    assert tree.highest > 2
    assert tree.highest - tree.lowest < 2 * tree.fullest


def test_statuses_differ_by_shape_not_only_by_colour() -> None:
    figure = checked(beam_tree_figure(beam_tree(library_trace())))
    (kept_nodes,), (finished,), (ring,) = (traces_of(figure, name) for name in ("kept", "finished", "ring"))
    (pruned,) = (part for part in traces_of(figure, "pruned") if part.customdata is not None)
    assert kept_nodes.marker.color == finished.marker.color == LIGHT.output
    assert pruned.marker.color == LIGHT.surface  # hollow
    assert (ring.x, ring.y) == (finished.x, finished.y)
    assert set(finished.customdata) == {6, 7}
    assert set(pruned.customdata) == {2, 5, 8}
    dashes = {part.meta: part.line.dash for part in figure.data if part.mode == "lines"}
    assert dashes["edge"] == "solid"
    assert dashes["pruned"] != "solid"


def test_more_probable_edges_are_wider() -> None:
    classes = [edge_class(log_prob) for log_prob in (float("-inf"), -5.0, -3.0, -2.0, -1.0, 0.0)]
    assert classes == sorted(classes)
    assert classes[0] == 0
    assert classes[-1] == len(EDGE_WIDTHS) - 1
    assert list(EDGE_WIDTHS) == sorted(EDGE_WIDTHS)


def test_the_width_of_an_edge_follows_the_relative_probability_of_its_prefix() -> None:
    steps: list[list[Spec]] = [
        [(None, "▁a", 0.9, K, WITHIN), (None, "▁b", 0.01, K, WITHIN)],
        [(0, "</s>", 0.9, F, END), (1, "▁c", 1.0, K, WITHIN)],
        [(3, "</s>", 1.0, F, END)],
    ]
    trace = build_trace("xy", steps, [(2, True), (4, True)])
    weights = {edge.child: edge.weight for edge in beam_tree(trace).edges}
    # A path that goes on alone stays improbable, however probable its own tokens are.
    assert weights == {0: 4, 1: 0, 2: 4, 3: 0, 4: 0}


def test_the_tree_of_a_full_beam_has_few_traces_and_no_pruned_labels() -> None:
    tree = beam_tree(large_trace())
    figure = checked(beam_tree_figure(tree))
    assert len(tree.nodes) == 2000
    assert len(figure.data) <= 2 * len(EDGE_WIDTHS) + 5
    labels = {status: {bool(node.label) for node in tree.nodes if node.status is status} for status in Status}
    assert labels == {Status.PRUNED: {False}, Status.KEPT: {True}, Status.FINISHED: {True}}


def test_a_column_is_as_wide_as_its_longest_label_within_bounds() -> None:
    def width(*labels: str, annotated: bool = False) -> float:
        tree = beam_tree(library_trace())
        nodes = tuple(replace(tree.nodes[0], label=label) for label in labels)
        return column_width(replace(tree, nodes=nodes, annotated=annotated))

    assert width() == width("a") < width("a", "␣library") < width("␣libraries") < width("␣" + 40 * "a")
    assert width("&lt;/s&gt;␣␣␣␣") == width("</s>␣␣␣␣")
    assert width("图书馆在哪里") == width(12 * "a")
    assert width(40 * "a") == width(80 * "a") < width(80 * "a", annotated=True)


def test_a_search_cut_short_is_still_drawn() -> None:
    trace = replace(library_trace(), hypotheses=())
    assert len(beam_tree(trace).nodes) == 9
    empty = beam_tree(replace(trace, steps=()))
    assert empty == BeamTree((), (), 0, 0, 0.0, 0.0)
    assert checked(beam_tree_figure(empty)).data[0].meta == "root"


def test_labels_have_no_tags() -> None:
    tree = beam_tree(library_trace())
    assert {node.label for node in tree.nodes if node.status is Status.FINISHED} == {"&lt;/s&gt;"}

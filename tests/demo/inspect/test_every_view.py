"""Laws of all views of Inspect: every request gets an answer that the page can show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from demo.inspect import inspect_views
from demo.links.hiding import parts
from demo.trace.trace_card import cards
from demo.widgets.figures.figure import Figure
from demo.work.context import AppContext
from tests.demo.inspect.view_requests import answered, ask, decoded, question
from tests.demo.widgets.figures.figure_check import checked
from tests.grids import full_only
from tests.messages import says

# A Transformer, two recurrent networks, one of them without attention, and one that reads pictures.
NETWORKS = ("spa-eng-transformer", "spa-eng-gru", "reverse-lstm", "shapes-captioner")
NAMES = [view.name for view in inspect_views()]
every_view = pytest.mark.parametrize("name", NAMES)


def check(answer: dict[str, Any]) -> None:
    """Check that an answer is a reason or has valid charts."""
    if "refused" in answer:
        assert len(answer["refused"].split()) > 3
        return
    assert answer["sentences"]
    assert all(sentence.strip() for sentence in answer["sentences"])
    assert len({control["name"] for control in answer["controls"]}) == len(answer["controls"])
    for chart in answer["charts"]:
        checked(Figure(chart["data"], chart["layout"]))
        assert chart["title"]
        assert chart["layout"]["meta"]["min_width"] > 0
        assert chart["layout"]["height"] > 0
    table = answer["table"]
    assert table is None or all(len(row) == len(table["head"]) for row in table["rows"])


def first_and_last(control: dict[str, Any]) -> list[Any]:
    """Two values that a reader may choose."""
    if control["kind"] == "select":
        values = [value for value, _ in control["options"]]
        return [values[0], values[-1]]
    return ["hola", ""] if control["kind"] == "text" else [control["low"], control["high"]]


def all_values(control: dict[str, Any]) -> list[Any]:
    """Values that a reader may choose, and some that only a program would send."""
    options = [value for value, _ in control.get("options", ())][:6]
    return [
        *(options or first_and_last(control)),
        "nothing of the kind",
        "nan",
        1e99,
        "<script>alert(1)</script>",
    ]


@pytest.mark.slow
@every_view
@pytest.mark.parametrize(
    ("network", "values"),
    [
        *((network, first_and_last) for network in NETWORKS),
        *full_only((network, all_values) for network in NETWORKS),
    ],
)
def test_the_last_step_and_each_control_have_an_answer(
    context: AppContext, name: str, network: str, values: Callable[[dict[str, Any]], list[Any]]
) -> None:
    trace = decoded(context, network)
    steps = len(trace.path(trace.hypotheses[0].node))
    answer = ask(context, name, trace, steps - 1)
    check(answer)
    for control in answer.get("controls", ()):
        for value in values(control):
            check(ask(context, name, trace, 0, **{control["name"]: value}))


@pytest.mark.slow
@every_view
@pytest.mark.parametrize("text", ["a", "<script>alert(1)</script> </s> <b>", "𝕏 … 中文"])
def test_strange_texts_get_an_answer_without_a_tag(context: AppContext, name: str, text: str) -> None:
    for network in NETWORKS[:3]:
        answer = ask(context, name, decoded(context, network, text), 0)
        check(answer)
        for chart in answer.get("charts", ()):
            drawn = str(chart)
            assert "<script" not in drawn
            assert "</s>" not in drawn


@pytest.mark.slow
@every_view
def test_an_output_of_another_path_and_a_forced_token_have_an_answer(context: AppContext, name: str) -> None:
    for network in NETWORKS[:2]:
        trace = decoded(context, network)
        data = question(name, trace, 1)
        check(answered(context, {**data, "token": data["token"] + 1, "rival": data["token"]}))
        check(answered(context, {**data, "output": data["output"][:1]}))
        check(answered(context, {**data, "output": []}))


@every_view
def test_a_view_is_a_card_with_a_part_of_its_own(name: str) -> None:
    (card,) = (card for card in cards() if card.name == name)
    assert card.pane == "inspect"
    assert name in parts()


@pytest.mark.parametrize(
    ("changed", "code", "fields"),
    [
        ({"view": "soul"}, "no_such_view", {"value": "'soul'"}),
        ({"view": 7}, "not_a_view_name", {"value": 7}),
        ({"options": []}, "options_not_an_object", {"value": "[]"}),
        ({"options": {"a": [1]}}, "option_not_plain", {}),
        ({"options": {"a": "x" * 10_000}}, "option_not_plain", {}),
        ({"options": {str(index): index for index in range(100)}}, "options_not_an_object", {}),
        ({"output": "abc"}, "not_token_ids", {"name": "output"}),
        ({"output": [10_000_000]}, "not_whole_within", {"name": "A token"}),
        ({"token": 99_999}, "no_such_token", {"token": 99_999}),
        ({"output": [99_999]}, "no_such_token", {"token": 99_999}),
        ({"checkpoint": "../../etc"}, "no_such_checkpoint", {"name": "'../../etc'"}),
    ],
)
def test_invalid_requests_are_refused_with_a_sentence(
    context: AppContext, changed: dict[str, Any], code: str, fields: dict[str, object]
) -> None:
    trace = decoded(context, "spa-eng-transformer")
    answer = answered(context, {**question("lens", trace, 1), **changed})
    assert set(answer) == {"refused"}
    assert says(answer["refused"], code, **fields)
    assert answer["refused"]

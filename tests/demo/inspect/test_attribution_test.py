"""Tests of explanations, as the page shows them."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from demo.inspect.attribution_test import LINE_STYLES
from demo.links import Link
from demo.work.context import AppContext
from models.inspection.attribution_test.rates import shipped_results
from models.inspection.methods import METHODS
from tests.demo.inspect.view_requests import ask, decoded


def test_every_method_has_a_line_of_its_own() -> None:
    assert len(set(LINE_STYLES)) >= len(METHODS)


def test_the_figures_of_the_file_are_shown(context: AppContext) -> None:
    result = shipped_results()["reverse-gru"]
    answer = ask(context, "trial", decoded(context, "reverse-gru"), 0)
    bars, by_chance = answer["charts"][0]["data"]
    assert bars["x"] == [rate.share for rate in result.trained.values()]
    assert by_chance["x"] == [rate.share for rate in result.random.values()]
    assert answer["charts"][0]["layout"]["yaxis"]["range"] == [
        len(bars["x"]) + 0.1,
        -0.5,
    ]  # room for "chance"
    highest = [low + more for low, more in zip(bars["x"], bars["error_x"]["array"], strict=True)]
    assert highest == pytest.approx([rate.interval[1] for rate in result.trained.values()])
    for chart, kind in zip(answer["charts"][1:], ("deletion", "insertion"), strict=True):
        assert [tuple(line["y"]) for line in chart["data"]] == [
            getattr(rate.curves, kind) for rate in result.trained.values()
        ]
    titles = answer["table"]["head"][1:]
    assert [title["text"] for title in titles] == list(shipped_results())
    for title in titles:  # each opens the checkpoint's own example
        link = Link.parse(parse_qsl(title["query"]))
        assert (link.tab, link.values["checkpoint"], link.faults) == ("decode", title["text"], [])
    assert len(answer["table"]["rows"]) == len(METHODS)


@pytest.mark.slow
def test_the_readers_checkpoint_is_tried_at_once_and_one_without_known_answers_shows_the_others(
    context: AppContext,
) -> None:
    trace = decoded(context, "reverse-gru")
    now = ask(context, "trial", trace, 0, of="now")
    stored = ask(context, "trial", trace, 0)
    assert now["charts"][0]["data"][0]["x"] != stored["charts"][0]["data"][0]["x"]
    assert now["sentences"][-1].startswith("2 random sources")
    (choice,) = ask(context, "trial", decoded(context, "spa-eng-gru"), 0)["controls"]
    assert [name for name, _ in choice["options"]] == list(shipped_results())


@pytest.mark.parametrize(
    ("name", "choice_made", "named"),
    [("reverse-gru", None, False), ("reverse-gru", "dates-transformer", True), ("spa-eng-gru", None, True)],
)
def test_a_trial_names_the_checkpoint_first_if_another_one_is_shown(
    context: AppContext, name: str, choice_made: str | None, named: bool
) -> None:
    answer = ask(context, "trial", decoded(context, name), 0, **({"of": choice_made} if choice_made else {}))
    selected = answer["controls"][0]["value"]
    assert (selected in answer["sentences"][0]) == named == (selected != name)

"""The view of an evaluation by itself: its rows, and a measurement that is stopped."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from demo.evaluate.view.component import FUNCTIONS, Answer, EvaluationView, Handler
from demo.evaluate.work.request import EvaluateRequest, requested_systems
from demo.evaluate.work.run import Evaluations
from demo.work.context import AppContext
from demo.work.jobs import JobStage
from models.evaluation.segments import segments_of_pairs
from models.registry.registry import Registry
from tests.browser.bare_page import BarePage
from tests.browser.conftest import ROOT
from tests.browser.decode_page import REVERSE
from tests.browser.evaluate.evaluate_page import VIEW, wait_for_evaluation
from tests.fakes.servers.occupied_server import Occupied
from tests.waiting import wait

STRINGS = ("abc", "xyz", "biblioteca", "hola", "casa", "perro", "gato")
PAIRS = [*((text, text[::-1]) for text in STRINGS), ("ab", "wrong")]  # the last one has a bad output


@pytest.fixture
def shipped() -> AppContext:
    return AppContext(Registry(ROOT / "checkpoints"), "cpu")


def open_evaluation(bare: BarePage, shipped: AppContext) -> Locator:
    """Open the view of the outputs of two strategies."""
    jobs = Evaluations(shipped)

    def answering(on: Handler) -> Callable[[object], Answer]:
        def answer(data: object) -> Answer:
            return on(shipped, jobs, data)

        answer.__name__ = on.__name__.removeprefix("on_")
        return answer

    strategies = [{"strategy": "greedy"}, {"strategy": "beam", "beam_size": 2}]
    key = jobs.begin(EvaluateRequest(requested_systems([REVERSE], strategies, 12), segments_of_pairs(PAIRS)))
    wait(lambda: (status := jobs.status(key)) is not None and status.stage is JobStage.DONE)
    functions = list(map(answering, FUNCTIONS))
    bare.open(EvaluationView(elem_id="evaluation", server_functions=functions))
    bare.show({"key": key})
    return wait_for_evaluation(bare.page)


def test_rows_are_sorted_filtered_searched_and_stepped_through(bare: BarePage, shipped: AppContext) -> None:
    view = open_evaluation(bare, shipped)
    sort, show = view.locator(".ev-controls select").all()
    sort.select_option("line of the file")
    expect(view.locator(".ev-row .ev-line").first).to_have_text("1")
    view.locator(".ev-list").focus()
    bare.page.keyboard.press("End")
    expect(view.locator(".ev-row[aria-selected='true'] .ev-line")).to_have_text("8")
    expect(view.locator(".ev-detail dt").first).to_have_text("source, line 8")
    show.select_option("bad outputs")
    expect(view.locator(".ev-count")).to_have_text("1 of 8")
    show.select_option("all segments")
    view.get_by_label("Find words").fill("BIBLIOTECA")
    expect(view.locator(".ev-count")).to_have_text("1 of 8")


def test_a_stopped_measurement_keeps_the_earlier_results(bare: BarePage, shipped: AppContext) -> None:
    open_evaluation(bare, shipped)
    view = bare.page.locator(VIEW)
    parts = view.get_by_role("group", name="Parts of the evaluation").get_by_role("button")
    parts.filter(has_text="Beam width").click()
    occupied = Occupied(shipped.turns, 2)  # the measurement waits until it is stopped
    view.get_by_role("button", name="Measure every beam width").click()
    view.locator(".ev-progress button").click()
    occupied.free()
    expect(bare.page.locator(f"{VIEW}[data-stage='stopped']")).to_be_visible()
    parts.first.click()
    expect(bare.page.locator(f"{VIEW}[data-part='figures']")).to_be_visible()
    expect(view.locator(".tv-inspect-table tbody tr")).to_have_count(2)

"""A full server: visitors who wait, who leave the line, and who find it full."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from demo.i18n import say
from demo.interface import build_demo, launch_settings
from demo.operator.caps import MAX_RUNNING
from demo.requests.queue_messages import VISITOR_QUEUE_FULL
from demo.server.calls.open_calls import OpenCalls
from demo.server.gate.rates import Rates
from demo.service.context import AppContext
from demo.service.decoding import running as service
from demo.service.decoding.turns import Turns
from tests.browser.conftest import Serve
from tests.browser.decode_page import decode, hypotheses, results, source, visit, wait_for_result
from tests.browser.training.test_long_runs import at_rest, begin
from tests.fakes.paused_search import PausedWatch
from tests.fakes.servers.occupied_server import Occupied
from tests.grids import full_only


@pytest.fixture
def full(context: AppContext) -> Iterator[Callable[[int, int], Occupied]]:
    """`full(running, waiting)` gives the server this many turns and waiting places, and takes all turns."""
    occupied: list[Occupied] = []

    def fill(running: int, waiting: int) -> Occupied:
        context.turns = Turns(running, waiting)
        occupied.append(Occupied(context.turns, running))
        return occupied[-1]

    yield fill
    for turns in occupied:
        turns.free()
    context.turns = Turns()


@pytest.mark.full
def test_a_waiting_visitor_sees_the_position_in_line(
    open_window: Callable[[], Page], inner_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "Watch", PausedWatch)

    def visitor() -> Page:
        page = open_window()
        visit(page, inner_url)
        return page

    slow = [visitor() for _ in range(MAX_RUNNING)]
    for page in slow:
        begin(page)
    waiting = visitor()
    before = results(waiting)
    source(waiting).fill("hola")
    waiting.locator("#run").click()
    line = waiting.locator("#progress [role=status]")
    expect(line).to_have_text("2 ahead of you. Yours starts automatically; press Stop to leave the queue.")
    assert waiting.locator("#run").get_attribute("aria-busy") == "true"
    slow[0].locator("#stop").click()
    wait_for_result(waiting, before)
    at_rest(waiting)
    slow[1].locator("#stop").click()
    at_rest(slow[1])


@pytest.mark.parametrize("width", [1440, *full_only([390])])
def test_the_position_in_line_is_legible_and_stop_leaves_the_line(
    page: Page, inner_url: str, full: Callable[[int, int], Occupied], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    visit(page, inner_url)
    texts = hypotheses(page)
    full(2, 8)
    height = page.locator("#command").evaluate("card => card.offsetHeight")
    page.locator("#run").click()
    line = page.locator("#progress")
    expect(line).to_contain_text("2 ahead of you.")
    assert line.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") >= 16
    assert page.locator("#command").evaluate("card => card.offsetHeight") == height  # nothing jumps
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.locator("#stop").click()
    expect(line).to_contain_text("Stopped before its turn came; the result below is the previous one.")
    assert hypotheses(page) == texts


def test_a_full_line_is_reported_to_the_visitor(
    open_window: Callable[[], Page], inner_url: str, full: Callable[[int, int], Occupied]
) -> None:
    page, late = open_window(), open_window()
    occupied = full(1, 1)
    visit(page, inner_url)
    page.locator("#run").click()
    expect(page.locator("#progress")).to_contain_text("1 ahead of you.")
    visit(late, inner_url)
    late.locator("#run").click()
    line = late.locator("#progress [role=status]")
    expect(line).to_contain_text("all 1 places in line are taken. Nothing is lost; try again")
    expect(late.locator("#run")).not_to_have_attribute("aria-busy", "true")
    occupied.free()
    assert decode(late, "hola")


@pytest.mark.full
def test_a_visitor_above_the_rate_sees_how_long_to_wait(
    page: Page, serve: Serve, context: AppContext, full: Callable[[int, int], Occupied]
) -> None:
    full(1, 8).free()
    rates = Rates(6, clock=lambda: 0.0)  # however long a decoding takes
    visit(page, serve(build_demo(context, rates=rates), **launch_settings(uploads=False)))
    for number in range(5):
        assert decode(page, f"hola {number}")
    page.locator("#run").click()
    line = page.locator("#progress [role=status]")
    expect(line).to_contain_text("Too many requests at once. Wait")
    expect(page.get_by_test_id("toast-body")).to_have_count(0)
    expect(page.locator("#run")).not_to_have_attribute("aria-busy", "true")
    assert source(page).input_value() == "hola 4"


def test_a_visitor_with_too_many_open_calls_sees_an_error_and_keeps_the_result(
    page: Page,
    serve: Serve,
    context: AppContext,
    full: Callable[[int, int], Occupied],
    expected_errors: list[str],
) -> None:
    expected_errors.append("status of 429")
    demo = build_demo(context)
    visit(page, serve(demo, **launch_settings(uploads=False)))
    texts = hypotheses(page)
    full(1, 8)
    demo.open_calls = OpenCalls(lambda *_: True, of_one=0)
    page.locator("#run").click()
    expect(page.get_by_test_id("toast-body")).to_contain_text(say(VISITOR_QUEUE_FULL, places=0))
    expect(page.locator("#run")).not_to_have_attribute("aria-busy", "true")
    assert hypotheses(page) == texts

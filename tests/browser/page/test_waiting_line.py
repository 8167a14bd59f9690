"""Long searches and a full server: progress, stopping, another request meanwhile, and visitors in line."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from demo.i18n import say
from demo.page.interface import build_demo, launch_settings
from demo.server.gate.rates import Rates
from demo.server.page import Page as PageBlocks
from demo.work import running
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_RUNNING
from demo.work.requests.caller import VISITOR_QUEUE_FULL
from demo.work.turns import Turns
from tests.browser.conftest import Serve
from tests.browser.decode_page import choose, decode, hypotheses, results, source, visit, wait_for_result
from tests.fakes.paused_search import LONG, PausedWatch
from tests.fakes.servers.occupied_server import Occupied
from tests.grids import release_only

Fill = Callable[[int, int], Occupied]


@pytest.fixture
def full(context: AppContext) -> Iterator[Fill]:
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


@pytest.fixture
def blocks(context: AppContext) -> PageBlocks:
    """The whole page."""
    return build_demo(context)


@pytest.fixture
def visitors(
    open_window: Callable[[], Page], serve: Serve, blocks: PageBlocks, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Page]:
    """`visitors()` is the page of one more visitor; exact searches last until they are stopped."""
    monkeypatch.setattr(running, "Watch", PausedWatch)
    url = serve(blocks, **launch_settings(uploads=False))

    def come() -> Page:
        page = open_window()
        visit(page, url)
        return page

    return come


def begin(page: Page) -> int:
    """Start an exact search, which lasts until it is stopped; return the number of earlier results."""
    source(page).fill(LONG)
    before = results(page)
    choose(page, "Exact", decodes=False)  # it does, but not to an end
    expect(page.locator("#stop")).to_be_visible()
    expect(page.locator("#progress")).to_contain_text("; best so far −")
    return before


def at_rest(page: Page) -> None:
    expect(page.locator("#run")).not_to_have_attribute("aria-busy", "true")
    expect(page.locator("#stop")).to_be_hidden()
    expect(page.locator("#progress")).not_to_contain_text("best so far")


def height(page: Page) -> int:
    return int(page.locator("#command").evaluate("card => card.offsetHeight"))


@pytest.mark.parametrize("width", [1440, *release_only([390])])
def test_a_visitor_stops_searches_and_waits_in_line(
    visitors: Callable[[], Page], context: AppContext, full: Fill, width: int, subtests: pytest.Subtests
) -> None:
    page = visitors()
    page.set_viewport_size({"width": width, "height": 900})
    with subtests.test("a long search shows its progress and stops with its best"):
        stop_a_long_search(page, width)
    with subtests.test("a request during a decoding replaces the decoding"):
        replace_a_decoding(page)
    texts = hypotheses(page)
    full(2, 8)
    with subtests.test("the position in line is legible, and Stop leaves the line"):
        leave_the_line(page, width)
        assert hypotheses(page) == texts
    with subtests.test("a full line is reported to the next visitor"):
        occupied = full(1, 1)
        page.locator("#run").click()
        expect(page.locator("#progress")).to_contain_text("1 ahead of you.")
        late = visitors()
        late.locator("#run").click()
        line = late.locator("#progress [role=status]")
        expect(line).to_contain_text("all 1 places in the queue are taken. Nothing is lost; try again")
        expect(late.locator("#run")).not_to_have_attribute("aria-busy", "true")
        occupied.free()
        assert decode(late, "hola")
        at_rest(page)
    with subtests.test("a visitor with too many requests in line keeps the result"):
        context.turns = Turns(1, 8, of_one=0)
        page.locator("#run").click()
        expect(page.locator("#progress")).to_contain_text(say(VISITOR_QUEUE_FULL, places=0))
        expect(page.locator("#run")).not_to_have_attribute("aria-busy", "true")
        assert hypotheses(page) == texts


def stop_a_long_search(page: Page, width: int) -> None:
    at_rest(page)
    source(page).fill(LONG)
    expect(page.locator("#source-tokens .st-chip", has_text="momento")).to_have_count(1)
    before_it = height(page)
    before = begin(page)
    size = page.locator("#command").bounding_box()
    # Gradio measures the text box anew, to within a pixel.
    assert height(page) == pytest.approx(before_it, abs=1)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert hypotheses(page)  # the old ones
    page.locator("#stop").dblclick()
    wait_for_result(page, before)
    expect(page.locator("#trace")).to_contain_text("You stopped it, so this is the best so far")
    assert len(hypotheses(page)) == 1
    at_rest(page)
    assert page.locator("#command").bounding_box() == size  # nothing jumps
    assert page.evaluate("document.activeElement.id") == "run"
    choose(page, "Greedy")
    assert decode(page, "hola")


def replace_a_decoding(page: Page) -> None:
    before = begin(page)
    choose(page, "Greedy")
    source(page).fill("hola")
    for _ in range(2):
        page.locator("#run").click()
    wait_for_result(page, before)
    at_rest(page)
    expect(page.locator("#trace")).not_to_contain_text("You stopped it")
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")


def leave_the_line(page: Page, width: int) -> None:
    before_it = height(page)
    page.locator("#run").click()
    line = page.locator("#progress")
    expect(line).to_contain_text("2 ahead of you.")
    assert line.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") >= 16
    assert height(page) == before_it  # nothing jumps
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.locator("#stop").click()
    expect(line).to_contain_text("Stopped before its turn came; the result below is the previous one.")


@pytest.mark.full
def test_stop_ends_only_the_visitors_own_decoding(visitors: Callable[[], Page]) -> None:
    first, second = visitors(), visitors()
    before = begin(first)
    begin(second)
    second.locator("#stop").click()
    at_rest(second)
    expect(first.locator("#stop")).to_be_visible()
    expect(first.locator("#run")).to_have_attribute("aria-busy", "true")
    assert results(first) == before
    first.locator("#stop").click()
    wait_for_result(first, before)


@pytest.mark.full
def test_closing_a_page_frees_its_turn(
    context: AppContext, monkeypatch: pytest.MonkeyPatch, visitors: Callable[[], Page]
) -> None:
    leaving, staying = visitors(), visitors()
    monkeypatch.setattr(context, "turns", Turns(1, 1))  # a single place
    begin(leaving)
    leaving.close()
    assert decode(staying, "hola")


@pytest.mark.full
def test_a_waiting_visitor_sees_the_position_in_line(visitors: Callable[[], Page]) -> None:
    slow = [visitors() for _ in range(MAX_RUNNING)]
    for page in slow:
        begin(page)
    waiting = visitors()
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


@pytest.mark.full
def test_a_visitor_above_the_rate_sees_how_long_to_wait(
    page: Page, serve: Serve, context: AppContext, full: Fill
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

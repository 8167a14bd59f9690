"""Steps of a lesson whose state arrives after the reader has moved on or typed something."""

from __future__ import annotations

from itertools import pairwise
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.browser.decode_page import source
from tests.browser.learn.dock import DOCK, GATES, GREEDY, LESSONS, dock_at, shows

BOTTLENECK = next(lesson for lesson in LESSONS if lesson.id == "bottleneck")
TABS = [dict(parse_qsl(step.state))["tab"] for step in BOTTLENECK.steps]
BEFORE_COMPARISON = list(pairwise(TABS)).index(("decode", "compare")) + 1  # the number of a step
ANSWERS = "**/run/predict*"
# Passes on the first answer about a step, and delivers the next two in successive tasks, the later one first.
TOGETHER = """() => {
  const fetch = window.fetch;
  let count = 0;
  window.held = [];
  window.fetch = async (...request) => {
    const isHeld = String(request[1]?.body).includes('"event_data":{"lesson"') && [2, 3].includes(++count);
    const answer = await fetch(...request);
    if (!isHeld) return answer;
    const body = await answer.text();
    await new Promise((done) => held.unshift(done) === 2 && held.forEach((go) => setTimeout(go)));
    return new Response(body, answer);
  };
}"""
# Those of another tab report first when the controls of a comparison are asked for their values.
ANOTHER_TAB_FIRST = """() => {
  const { gather } = window.unrolled;
  const held = [];
  window.unrolled.gather = (...values) => (values[0] === "compare" ? held.push(values) : gather(...values));
  const report = ({ detail }) => {
    if (detail !== "compare") return;
    document.removeEventListener("unrolled:gather", report);
    document.dispatchEvent(new CustomEvent("unrolled:gathered", { detail: "decode" }));
    window.unrolled.gather = gather;
    setTimeout(() => held.forEach((values) => gather(...values)));
  };
  document.addEventListener("unrolled:gather", report);
  const note = ({ detail }) => (window.hasCompared ||= detail === "compare");
  document.addEventListener("unrolled:gathered", note);
}"""
MOVE = "(pixels) => { document.querySelector('aside.lesson').style.translate = `0 ${pixels}px`; }"


def step_of(request: Request) -> int | None:
    """The step of a lesson that a request asks for; None for another request."""
    data = (request.post_data_json or {}).get("event_data")
    return data["step"] if isinstance(data, dict) and "lesson" in data else None


def hold(page: Page, step: int) -> list[Route]:
    """Hold the first question about a step; the list contains it when it has been asked."""
    routes: list[Route] = []

    def handle(route: Route) -> None:
        routes.append(route) if not routes and step_of(route.request) == step else route.continue_()

    page.route(ANSWERS, handle)
    return routes


def press(page: Page) -> None:
    """Press the button to the next step without lifting the finger."""
    box = page.locator(f"{DOCK} .ls-next").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()


def test_steps_arrive_late_and_the_reader_goes_on(
    page: Page, app_url: str, subtests: pytest.Subtests
) -> None:
    page.goto(f"{app_url}?lesson={GREEDY.id}")
    shows(page, GREEDY, 1)
    with subtests.test("a press counts if the page moves and not if the pointer does"):
        press(page)
        page.evaluate(MOVE, 100)
        page.mouse.up()
        shows(page, GREEDY, 2)
        press(page)
        page.mouse.move(300, 20)
        page.mouse.up()
        page.evaluate(MOVE, 0)
        page.locator(f"{DOCK} .ls-next").click()
        shows(page, GREEDY, 3)  # not the one after it
    with subtests.test("a comparison waits for its own controls"):
        page.evaluate(ANOTHER_TAB_FIRST)
        page.locator(f"{DOCK} .ls-next").click()
        page.wait_for_function("window.hasCompared")
        shows(page, GREEDY, 4)
    with subtests.test("a late answer does not reopen a finished lesson"):
        finish_before_the_last_step_arrives(page)


def finish_before_the_last_step_arrives(page: Page) -> None:
    last = len(GREEDY.steps)
    page.locator(f"{DOCK} .ls-dot").nth(last - 2).click()
    dock_at(page, last - 1)
    routes = hold(page, last)
    with page.expect_request(lambda request: step_of(request) == last):
        page.locator(f"{DOCK} .ls-next").click()
    for _ in ("the page after the last step", "Finish"):
        page.locator(f"{DOCK} .ls-next").click()
    expect(page.locator(DOCK)).to_be_hidden()
    expect(page.locator(".co-chapters .co-lesson")).to_have_count(len(LESSONS))
    with page.expect_response(lambda answer: answer.request == routes[0].request) as answered:
        routes[0].continue_()
    answered.value.finished()
    page.unroute(ANSWERS)
    page.locator(".co-lesson[data-lesson=tokens]").click()
    expect(page.locator(f"{DOCK}[data-lesson=tokens]")).to_be_visible()
    dock_at(page, 1)


def test_a_number_typed_before_the_state_of_a_step_arrives_stays(page: Page, app_url: str) -> None:
    lab = page.locator("#labs .tv-inspect-summary")
    page.goto(f"{app_url}?lesson=kernels&step=2")
    dock_at(page, 2)
    expect(lab).to_contain_text("To the query 4")
    routes = hold(page, 1)
    with page.expect_request(lambda request: step_of(request) == 1):
        page.locator(f"{DOCK} .ls-back").click()
    dock_at(page, 1)
    number = page.locator(f"{DOCK} input[type=number]")
    number.fill("12")
    routes[0].continue_()
    expect(lab).to_contain_text("“hause” is not a key")
    expect(number).to_have_value("12")


@pytest.mark.full
def test_a_late_answer_to_a_step_does_not_change_the_next_step(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?lesson={GATES.id}")
    shows(page, GATES, 1)
    routes = hold(page, 2)
    for _ in "23":
        page.locator(f"{DOCK} .ls-next").click()
    shows(page, GATES, 3)
    expect(source(page)).to_have_value("pasteles")
    with page.expect_request(lambda request: step_of(request) == 3):
        routes[0].continue_()
    expect(source(page)).to_have_value("pasteles")


@pytest.mark.full
def test_the_last_requested_step_opens_after_another_answer(
    page: Page, app_url: str, expected_errors: list[str], subtests: pytest.Subtests
) -> None:
    expected_errors.append("500 (Internal Server Error)")
    page.goto(f"{app_url}?lesson=bottleneck&step={BEFORE_COMPARISON}")
    shows(page, BOTTLENECK, BEFORE_COMPARISON)
    with subtests.test("a failed step is requested again after another step has arrived"):
        fail_before_another_answer(page)
    with subtests.test("the last requested step opens when two answers arrive together"):
        page.evaluate(TOGETHER)
        page.locator(f"{DOCK} .ls-next").click()
        page.wait_for_function("held.length === 1")  # the comparison's tab is there, to be filled in
        page.locator(f"{DOCK} .ls-back").click()
        page.wait_for_function("held.length === 2")
        shows(page, BOTTLENECK, BEFORE_COMPARISON)
        expect(page.get_by_role("tab", name="Decode")).to_have_attribute("aria-selected", "true")


def fail_before_another_answer(page: Page) -> None:
    routes: list[Route] = []

    def handle(route: Route) -> None:
        is_for_lesson = step_of(route.request) is not None
        if is_for_lesson:
            routes.append(route)
        if is_for_lesson and len(routes) == 3:
            route.fulfill(status=500, json={"detail": "out of order"})
        elif not is_for_lesson or len(routes) != 2:
            route.continue_()

    page.route(ANSWERS, handle)
    page.locator(f"{DOCK} .ls-next").click()
    while len(routes) < 2:  # the comparison's tab is there, to be filled in
        page.wait_for_timeout(50)
    with page.expect_response(lambda answer: answer.status == 500):
        page.locator(f"{DOCK} .ls-back").click()
    routes[1].continue_()
    shows(page, BOTTLENECK, BEFORE_COMPARISON)
    assert len(routes) == 4
    page.unroute(ANSWERS)

"""Steps of a lesson whose state arrives after the reader has moved on or typed something."""

from __future__ import annotations

from itertools import pairwise
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.decode_page import source
from tests.browser.learn.dock import DOCK, GATES, GREEDY, LESSONS, dock_at, shows

BOTTLENECK = next(lesson for lesson in LESSONS if lesson.id == "bottleneck")
TABS = [dict(parse_qsl(step.state))["tab"] for step in BOTTLENECK.steps]
BEFORE_COMPARISON = list(pairwise(TABS)).index(("decode", "compare")) + 1  # the number of a step
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


@pytest.mark.full
def test_a_late_answer_to_a_step_does_not_change_the_next_step(page: Page, app_url: str) -> None:
    delayed: list[Route] = []

    def hold(route: Route) -> None:
        late = not delayed and '"step":2' in (route.request.post_data or "")
        delayed.append(route) if late else route.continue_()

    page.goto(f"{app_url}?lesson={GATES.id}")
    shows(page, GATES, 1)
    page.route("**/run/predict*", hold)
    for _ in "23":
        page.locator(f"{DOCK} .ls-next").click()
    shows(page, GATES, 3)
    expect(source(page)).to_have_value("pasteles")
    with page.expect_request(lambda request: '"step":3' in (request.post_data or "")):
        delayed[0].continue_()
    expect(source(page)).to_have_value("pasteles")


def test_text_typed_before_the_state_of_a_step_arrives_stays(page: Page, app_url: str) -> None:
    delayed: list[Route] = []
    page.goto(f"{app_url}?lesson=kernels&step=2")
    dock_at(page, 2)
    expect(page.locator("#labs .tv-inspect-summary")).to_contain_text("“house” is a key")

    def hold(route: Route) -> None:
        delayed.append(route) if not delayed else route.continue_()

    page.route("**/run/predict*", hold)
    with page.expect_request("**/run/predict*"):
        page.locator(f"{DOCK} .ls-back").click()
    dock_at(page, 1)
    number = page.locator(f"{DOCK} input[type=number]")
    number.fill("12")
    delayed[0].continue_()
    expect(page.locator("#labs .tv-inspect-summary")).to_contain_text("“hause” is not a key")
    expect(number).to_have_value("12")


def test_a_late_answer_does_not_reopen_a_finished_lesson(page: Page, app_url: str) -> None:
    last = len(GREEDY.steps)
    page.goto(f"{app_url}?lesson=greedy&step={last - 1}")
    dock_at(page, last - 1)
    delayed: list[Route] = []

    def hold(route: Route) -> None:
        request_data = (route.request.post_data_json or {}).get("event_data")
        opens = isinstance(request_data, dict) and request_data.get("step") == last
        delayed.append(route) if opens else route.continue_()

    page.route("**/run/predict*", hold)
    page.locator(f"{DOCK} .ls-next").click()
    while not delayed:
        page.wait_for_timeout(50)
    for _ in ("the page after the last step", "Finish"):
        page.locator(f"{DOCK} .ls-next").click()
    expect(page.locator(DOCK)).to_be_hidden()
    with page.expect_response(lambda answer: answer.request == delayed[0].request) as answered:
        delayed[0].continue_()
    answered.value.finished()
    page.locator(".co-lesson[data-lesson=tokens]").click()
    expect(page.locator(f"{DOCK}[data-lesson=tokens]")).to_be_visible()
    dock_at(page, 1)


@pytest.mark.full
def test_the_last_requested_step_opens_when_two_answers_arrive_together(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?lesson=bottleneck&step={BEFORE_COMPARISON}")
    shows(page, BOTTLENECK, BEFORE_COMPARISON)
    page.evaluate(TOGETHER)
    page.locator(f"{DOCK} .ls-next").click()
    page.wait_for_function("held.length === 1")  # the comparison's tab is there, to be filled in
    page.locator(f"{DOCK} .ls-back").click()
    page.wait_for_function("held.length === 2")
    shows(page, BOTTLENECK, BEFORE_COMPARISON)
    expect(page.get_by_role("tab", name="Decode")).to_have_attribute("aria-selected", "true")


@pytest.mark.full
def test_a_failed_step_is_requested_again_after_another_step_has_arrived(
    page: Page, app_url: str, expected_errors: list[str]
) -> None:
    expected_errors.append("500 (Internal Server Error)")
    page.goto(f"{app_url}?lesson=bottleneck&step={BEFORE_COMPARISON}")
    shows(page, BOTTLENECK, BEFORE_COMPARISON)
    lesson_routes: list[Route] = []

    def handle(route: Route) -> None:
        request_data = (route.request.post_data_json or {}).get("event_data")
        is_for_lesson = isinstance(request_data, dict) and "lesson" in request_data
        if is_for_lesson:
            lesson_routes.append(route)
        if is_for_lesson and len(lesson_routes) == 3:
            route.fulfill(status=500, json={"detail": "out of order"})
        elif not is_for_lesson or len(lesson_routes) != 2:
            route.continue_()

    page.route("**/run/predict*", handle)
    page.locator(f"{DOCK} .ls-next").click()
    while len(lesson_routes) < 2:  # the comparison's tab is there, to be filled in
        page.wait_for_timeout(50)
    with page.expect_response(lambda answer: answer.status == 500):
        page.locator(f"{DOCK} .ls-back").click()
    lesson_routes[1].continue_()
    shows(page, BOTTLENECK, BEFORE_COMPARISON)
    assert len(lesson_routes) == 4


def test_a_press_counts_if_the_page_moves_and_not_if_the_pointer_does(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?lesson={GREEDY.id}")
    shows(page, GREEDY, 1)

    def press() -> None:
        box = page.locator(f"{DOCK} .ls-next").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 5, box["y"] + 5)
        page.mouse.down()

    press()
    page.evaluate("document.querySelector('aside.lesson').style.translate = '0 100px'")
    page.mouse.up()
    shows(page, GREEDY, 2)
    press()
    page.mouse.move(300, 20)
    page.mouse.up()
    page.wait_for_timeout(500)  # longer than the next step would need to be named
    expect(page.locator(f"{DOCK}[data-step='2']")).to_be_visible()

"""Steps of a lesson whose state comes when the reader has long gone on, or typed something."""

from __future__ import annotations

from playwright.sync_api import Page, Route, expect

from tests.browser.decode_page import source
from tests.browser.learn.dock import DOCK, GATES, GREEDY, dock_at, shows


def test_a_step_that_is_answered_late_leaves_the_next_as_it_was(page: Page, app_url: str) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        late = not held and '"step":2' in (route.request.post_data or "")
        held.append(route) if late else route.continue_()

    page.goto(f"{app_url}?lesson={GATES.id}")
    shows(page, GATES, 1)
    page.route("**/run/predict*", hold)
    for _ in "23":
        page.locator(f"{DOCK} .ls-next").click()
    shows(page, GATES, 3)
    expect(source(page)).to_have_value("pasteles")
    with page.expect_request(lambda request: '"step":3' in (request.post_data or "")):
        held[0].continue_()
    expect(source(page)).to_have_value("pasteles")


def test_what_is_typed_before_the_steps_state_has_come_stays(page: Page, app_url: str) -> None:
    held: list[Route] = []
    page.goto(f"{app_url}?lesson=kernels&step=2")
    dock_at(page, 2)
    expect(page.locator("#labs .tv-inspect-told")).to_contain_text("“house” is a key")

    def hold(route: Route) -> None:
        held.append(route) if not held else route.continue_()

    page.route("**/run/predict*", hold)
    with page.expect_request("**/run/predict*"):
        page.locator(f"{DOCK} .ls-back").click()
    dock_at(page, 1)
    number = page.locator(f"{DOCK} input[type=number]")
    number.fill("12")
    held[0].continue_()
    expect(page.locator("#labs .tv-inspect-told")).to_contain_text("“hause” is no key")
    expect(number).to_have_value("12")


def test_a_lesson_that_is_over_is_not_opened_again_by_a_late_answer(page: Page, app_url: str) -> None:
    last = len(GREEDY.steps)
    page.goto(f"{app_url}?lesson=greedy&step={last - 1}")
    dock_at(page, last - 1)
    held: list[Route] = []

    def hold(route: Route) -> None:
        asked = (route.request.post_data_json or {}).get("event_data")
        opens = isinstance(asked, dict) and asked.get("step") == last
        held.append(route) if opens else route.continue_()

    page.route("**/run/predict*", hold)
    page.locator(f"{DOCK} .ls-next").click()
    while not held:
        page.wait_for_timeout(50)
    page.locator(f"{DOCK} .ls-next").click()
    expect(page.locator(DOCK)).to_be_hidden()
    with page.expect_response(lambda answer: answer.request == held[0].request) as answered:
        held[0].continue_()
    answered.value.finished()
    page.locator(".co-lesson[data-lesson=tokens]").click()
    expect(page.locator(f"{DOCK}[data-lesson=tokens]")).to_be_visible()
    dock_at(page, 1)

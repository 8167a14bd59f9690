"""The lessons of the page without a server, in a browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.demo.static.site import holding, served

ANSWER = "lessons/en/tour/answer-1.json"
# Ends after the page has lost its patience with a decoding, since timers of a page end in their order.
LATER = "() => new Promise((resolve) => setTimeout(resolve, 1000))"


@pytest.mark.full
def test_a_lesson_is_followed_to_its_end(page: Page, site: str) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url.removeprefix(site)))
    page.goto(f"{site}?tab=learn")
    lesson = page.locator("#course [data-lesson=tour]")
    lesson.click()
    dock, options, outcome = (
        page.locator(f"aside.lesson{part}") for part in ("", " .ls-option", " .ls-outcome")
    )
    expect(options).to_have_count(3)
    expect(page.locator("#trace .tv-out").first).to_contain_text("Where")
    assert ANSWER not in requests
    options.nth(1).click()
    expect(outcome).to_contain_text("82.8%")
    assert ANSWER in requests
    page.locator(".ls-next").click()
    expect(page).to_have_url(re.compile(r"[?&]lesson=tour&step=2(&|$)"))
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-step", "1")  # the state of this step
    options.nth(1).click()
    expect(outcome).to_contain_text("good English too")
    page.locator(".ls-next").click()
    page.locator("#trace .tv-out").nth(3).click()
    expect(page.locator(".ls-task")).to_have_attribute("data-done", "true")
    page.locator(".ls-next").click()
    assert not [url for url in requests if url.endswith((".safetensors", ".wasm"))]  # stored traces
    page.fill("#source textarea", "Hola.")
    page.press("#source textarea", "Enter")
    expect(page.locator(".ls-task")).to_have_attribute("data-done", "true")
    page.locator(".ls-next").click()
    expect(dock.locator(".ls-own")).to_have_text(["you: is", "you: Where are"])
    expect(dock.locator(".ls-quiz")).to_have_count(2)
    page.locator(".ls-next").click()
    expect(dock).to_be_hidden()
    expect(lesson.locator(".co-mark")).to_have_text("✓")
    page.reload()
    expect(lesson.locator(".co-mark")).to_have_text("✓")


@pytest.mark.full
def test_a_stored_trace_that_arrives_late_loads_no_network(page: Page, root: Path) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    late_traces, released = holding("/trace-")
    with served(root, late_traces) as address:
        with page.expect_request("**/trace-1.json"):
            page.goto(f"{address}unrolled/?lesson=tour&step=1")
        page.evaluate(LATER)
        released.release()
        expect(page.locator("#trace .tv-out").first).to_contain_text("Where")
        option = page.locator("aside.lesson .ls-option").nth(1)
        option.click()
        with page.expect_request("**/trace-2.json"):
            page.locator(".ls-next").click()
        page.evaluate(LATER)
        released.release()
        expect(page.locator("#trace .trace-view")).to_have_attribute("data-step", "1")
        option.click()
        expect(page.locator("aside.lesson .ls-outcome")).to_contain_text("good English too")
        assert not [url for url in requests if url.endswith(("/engine.js", ".safetensors", ".wasm"))]
        page.goto("about:blank")


@pytest.mark.full
def test_a_lab_of_a_lesson_is_stored_and_then_computed(page: Page, site: str) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"{site}?lesson=ngrams&step=1")
    lab = page.locator("#labs .lb-lab")
    expect(lab.locator("table").first).to_be_attached()
    expect(page.locator("#labs .lb-list button")).to_have_text(["Tokens", "n-grams"])
    assert not [url for url in requests if url.endswith(".wasm")]
    page.locator("aside.lesson .ls-option").first.click()
    expect(page.locator("aside.lesson .ls-outcome")).to_contain_text("0")
    field = lab.locator("textarea, input[type=text]").last
    field.fill("A zebra sat")
    field.press("Tab")
    expect(lab.locator("table").first).to_contain_text("<unk>")


def test_addresses_open_steps_and_name_what_the_page_lacks(
    page: Page, site: str, subtests: pytest.Subtests
) -> None:
    notice, dock = page.locator(".link-notice"), page.locator("aside.lesson")
    with subtests.test("a step of a lesson"):
        page.goto(f"{site}?lesson=tour&step=2")
        expect(dock).to_have_attribute("data-step", "2")
        expect(page.locator("#source textarea")).to_have_value("¿Dónde está la biblioteca?")
    with subtests.test("a lab that needs the app"):
        page.goto(f"{site}?tab=learn&lab=wordvectors")
        expect(notice).to_contain_text("make demo")
        expect(page.locator("#labs .lb-lab h3")).not_to_be_empty()
    with subtests.test("a lesson that needs the app and is listed"):
        page.goto(f"{site}?lesson=explain&step=1")
        expect(notice).to_contain_text("make demo")
        expect(page.locator("#course")).to_contain_text("Is attention an explanation?")
        expect(page.locator("#course [data-lesson=explain]")).to_have_count(0)
    with subtests.test("a lesson that does not exist"):
        page.goto(f"{site}?lesson=../../texts&step=1")
        expect(notice).to_contain_text("There is no lesson ../../texts.")
        expect(dock).to_be_hidden()
    with subtests.test("a question opens the page that shows its answer"):
        page.locator("#course .co-questions .co-lesson", has_text="Which source word").click()
        expect(dock).to_contain_text("biblioteca")
        expect(page.locator("#tabs [data-tab-id=decode]")).to_have_attribute("aria-selected", "true")

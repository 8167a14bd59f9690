"""The lessons of the page without a server, in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from demo.static.site.folder import write_folder
from models.registry.registry import Registry
from tests.demo.static.site import served

ANSWER = "lessons/en/tour/answer-1.json"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the folder, under a path."""
    root = tmp_path_factory.mktemp("lessons")
    write_folder(root / "unrolled", Registry(Path("checkpoints")), ["spa-eng-gru"])
    with served(root) as address:
        yield f"{address}unrolled/"


@pytest.mark.full
@pytest.mark.timeout(300)
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
def test_a_stored_trace_that_arrives_late_loads_no_network(page: Page, site: str) -> None:
    def delay(route: Route) -> None:
        page.wait_for_timeout(1000)  # longer than a decoding may take before the page shows its progress
        route.continue_()

    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url.removeprefix(site)))
    page.route("**/trace-*.json", delay)
    page.goto(f"{site}?lesson=tour&step=1")
    expect(page.locator("#trace .tv-out").first).to_contain_text("Where")
    page.locator("aside.lesson .ls-option").nth(1).click()
    page.locator(".ls-next").click()
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-step", "1")
    page.wait_for_timeout(3000)  # a load would begin with the text of the step
    assert not [url for url in requests if url.endswith((".safetensors", ".wasm"))]


@pytest.mark.full
@pytest.mark.timeout(300)
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
    expect(lab.locator("table").first).to_contain_text("<unk>", timeout=120_000)


def test_an_address_of_a_lab_that_needs_the_app_shows_a_notice(page: Page, site: str) -> None:
    page.goto(f"{site}?tab=learn&lab=wordvectors")
    expect(page.locator(".link-notice")).to_contain_text("make demo")
    expect(page.locator("#labs .lb-lab h3")).not_to_be_empty()


def test_an_address_opens_a_step_of_a_lesson(page: Page, site: str) -> None:
    page.goto(f"{site}?lesson=tour&step=2")
    expect(page.locator("aside.lesson")).to_have_attribute("data-step", "2")
    expect(page.locator("#source textarea")).to_have_value("¿Dónde está la biblioteca?")


def test_a_lesson_that_needs_the_app_is_listed_and_its_address_explains_why(page: Page, site: str) -> None:
    page.goto(f"{site}?lesson=explain&step=1")
    expect(page.locator(".link-notice")).to_contain_text("make demo")
    expect(page.locator("#course")).to_contain_text("Is attention an explanation?")
    expect(page.locator("#course [data-lesson=explain]")).to_have_count(0)


def test_a_lesson_that_does_not_exist_is_named(page: Page, site: str) -> None:
    page.goto(f"{site}?lesson=../../texts&step=1")
    expect(page.locator(".link-notice")).to_contain_text("There is no lesson ../../texts.")
    expect(page.locator("aside.lesson")).to_be_hidden()


def test_a_question_opens_the_page_that_shows_its_answer(page: Page, site: str) -> None:
    page.goto(f"{site}?tab=learn")
    page.locator("#course .co-questions .co-lesson", has_text="Which source word").click()
    expect(page.locator("aside.lesson")).to_contain_text("biblioteca")
    expect(page.locator("#tabs [data-tab-id=decode]")).to_have_attribute("aria-selected", "true")

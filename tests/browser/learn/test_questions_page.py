"""The questions to begin with: each opens a state of the page from the help."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from demo.lessons import questions
from demo.lessons.course_map import question


def test_a_question_opens_its_state_after_any_other_question(app_page: Page) -> None:
    titles = [question(step) for step in questions().steps]
    for index in (6, 10):
        app_page.locator(".glossary-open").click()
        app_page.get_by_role("button", name="Questions to begin with").click()
        app_page.get_by_role("button", name=titles[index]).click()
        expect(app_page.locator("aside.lesson .ls-text")).to_contain_text(titles[index])
    expect(app_page.locator("#trace .tv-strip")).to_contain_text("won")
    expect(app_page.locator("#trace [role=tab][data-tab=mass]")).to_have_attribute("aria-selected", "true")

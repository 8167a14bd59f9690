"""Journeys through the Decode tab of the real app, with the shipped checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

SPANISH, REVERSE = "spa-eng-gru", "reverse-gru"
EXAMPLE = "¿Dónde está la biblioteca?"

Open = Callable[..., Page]


@pytest.fixture
def opened(page: Page, app_url: str) -> Page:
    """The page as a visitor first sees it."""
    visit(page, app_url)
    return page


@pytest.fixture
def visitors(browser: Browser, app_url: str) -> Iterator[Callable[[], Page]]:
    """`visitors()` is the page of one more visitor, in a browser context of their own."""
    contexts = []

    def come() -> Page:
        contexts.append(browser.new_context())
        page = contexts[-1].new_page()
        visit(page, app_url)
        return page

    yield come
    for context in contexts:
        context.close()


def visit(page: Page, url: str) -> None:
    page.goto(url)
    wait_for_result(page, 0)


def results(page: Page) -> int:
    """How many results the page has drawn to the end."""
    return int(page.locator("#trace .trace-view").get_attribute("data-ready") or 0)


def wait_for_result(page: Page, after: int) -> None:
    """Wait until one more result than `after` is drawn."""
    script = "after => Number(document.querySelector('#trace .trace-view')?.dataset.ready) > after"
    page.wait_for_function(script, arg=after)


def source(page: Page):
    return page.locator("#source textarea")


def chips(page: Page) -> list[str]:
    return page.locator("#source-tokens .st-chip").all_text_contents()


def hypotheses(page: Page) -> list[str]:
    return page.locator(".tv-hypotheses li").all_text_contents()


def decode(page: Page, text: str) -> list[str]:
    """Type a text, decode it by keyboard, return the hypotheses that are shown then."""
    before = results(page)
    source(page).fill(text)
    source(page).press("Control+Enter")
    wait_for_result(page, before)
    return hypotheses(page)


def choose_checkpoint(page: Page, name: str) -> None:
    before = results(page)
    page.locator("#checkpoint input").click()
    page.get_by_role("option", name=name).click()
    wait_for_result(page, before)


def test_the_first_paint_shows_a_decoded_example(opened: Page) -> None:
    assert source(opened).input_value() == EXAMPLE
    assert chips(opened)[-1] == "</s>"
    assert hypotheses(opened)
    expect(opened.get_by_role("heading", level=1)).to_have_text("Unrolled")
    expect(opened.locator("#checkpoint-summary")).to_contain_text("BLEU")
    expect(opened.locator("#examples button:visible")).not_to_have_count(0)


@pytest.mark.parametrize("keys", ["Control+Enter", "Meta+Enter"])
def test_typing_and_a_key_decode(opened: Page, keys: str) -> None:
    before, shown = results(opened), hypotheses(opened)
    source(opened).fill("estoy muy emocionada")
    source(opened).press(keys)
    wait_for_result(opened, before)
    assert hypotheses(opened) != shown


def test_tokens_follow_what_is_typed(opened: Page) -> None:
    source(opened).fill("")
    expect(opened.locator("#source-tokens .st-chip")).to_have_count(0)
    source(opened).press_sequentially("la casa", delay=20)
    expect(opened.locator("#source-tokens .st-chip").last).to_have_text("</s>")
    expect(opened.locator("#source-tokens .st-chip").first).to_contain_text("la")
    opened.locator("#source-tokens .st-chip").first.hover()
    expect(opened.locator("#source-tokens .st-detail")).to_contain_text("id ")


def test_unknown_characters_are_named_and_marked(opened: Page) -> None:
    source(opened).fill("hola 🙂")
    expect(opened.locator("#source-tokens .st-note")).to_contain_text("🙂")
    assert opened.locator("#source-tokens .st-unknown").get_attribute("aria-label").endswith("vocabulary")


def test_a_strategy_shows_only_the_controls_that_apply(opened: Page) -> None:
    labels = {
        "Greedy": {"Maximum length"},
        "Beam search": {"Maximum length", "Beam size", "Length penalty α", "Length normaliser"},
        "Sampling": {"Maximum length", "Samples", "Temperature", "Top-k", "Top-p", "Seed"},
    }
    for strategy, shown in labels.items():
        opened.get_by_label(strategy, exact=True).check(force=True)
        for label in set.union(*labels.values()):
            expect(opened.locator(".settings").get_by_text(label, exact=True)).to_be_visible(
                visible=label in shown
            )


def test_every_strategy_decodes(opened: Page) -> None:
    for strategy, count in (("Sampling", 4), ("Greedy", 1), ("Beam search", 4)):
        opened.get_by_label(strategy, exact=True).check(force=True)
        before = results(opened)
        opened.locator("#run").click()
        wait_for_result(opened, before)
        assert len(hypotheses(opened)) == count


def test_an_old_result_stays_and_is_marked_until_the_new_one_is_there(opened: Page) -> None:
    view = opened.locator("#trace .trace-view")
    shown = hypotheses(opened)
    expect(view).to_have_attribute("data-stale", "false")
    opened.get_by_label("Greedy", exact=True).check(force=True)
    expect(view).to_have_attribute("data-stale", "true")
    assert hypotheses(opened) == shown
    opened.get_by_label("Beam search", exact=True).check(force=True)
    opened.locator("#run").click()  # the same again
    expect(view).to_have_attribute("data-stale", "false")


def test_leaving_a_text_that_is_decoded_does_not_make_its_result_old(opened: Page) -> None:
    before = results(opened)
    source(opened).fill("No sé.")
    expect(opened.locator("#trace .trace-view")).to_have_attribute("data-stale", "true")
    source(opened).press("Control+Enter")
    wait_for_result(opened, before)
    opened.locator("#trace .tv-out").nth(1).click()
    expect(opened.locator("#trace .trace-view")).to_have_attribute("data-step", "1")
    expect(opened.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")


def test_an_example_decodes_at_one_click(opened: Page) -> None:
    before, example = results(opened), opened.locator("#examples button").nth(1)
    text = example.inner_text()
    example.click()
    wait_for_result(opened, before)
    assert source(opened).input_value() == text


def test_another_checkpoint_brings_its_example_and_card(opened: Page) -> None:
    summary = opened.locator("#checkpoint-summary").inner_text()
    choose_checkpoint(opened, REVERSE)
    assert source(opened).input_value() != EXAMPLE
    expect(opened.locator("#checkpoint-summary")).not_to_have_text(summary)
    assert decode(opened, "abcdef")[0].find("fedcba") >= 0


def test_passing_through_the_picker_changes_nothing(opened: Page) -> None:
    source(opened).fill("hola")
    before = results(opened)
    opened.locator("#checkpoint input").focus()
    opened.keyboard.press("Tab")
    decode(opened, "buenos días")
    assert results(opened) == before + 1
    assert source(opened).input_value() == "buenos días"


def test_the_keyboard_alone_suffices(opened: Page) -> None:
    def tab_to(selector: str) -> None:
        for _ in range(60):
            opened.keyboard.press("Tab")
            if opened.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        pytest.fail(f"Tab never reaches {selector}")

    before = results(opened)
    tab_to("#source textarea")
    opened.keyboard.press("Control+A")
    opened.keyboard.type("hola")
    tab_to(".st-chip")
    opened.keyboard.press("ArrowRight")
    expect(opened.locator("#source-tokens .st-detail")).to_contain_text("id ")
    tab_to("#run")
    opened.keyboard.press("Enter")
    wait_for_result(opened, before)
    tab_to("#strategy-card input[value=beam]")
    opened.keyboard.press("ArrowLeft")
    expect(opened.get_by_label("Greedy", exact=True)).to_be_checked()
    tab_to("#strategy-card input[type=number]")
    opened.keyboard.press("Control+Enter")
    wait_for_result(opened, before + 1)
    assert len(hypotheses(opened)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "${alert(1)}",
        "{{constructor.constructor('alert(1)')()}}",
        "</s>",
        "🙂🙃",
        "مرحبا بالعالم",
    ],
)
def test_text_is_shown_as_text(page: Page, app_url: str, text: str) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    visit(page, app_url)
    decode(page, text)
    assert source(page).input_value() == text
    assert page.locator("#source-tokens :is(script, img), #trace :is(script, img)").count() == 0
    page.reload()
    wait_for_result(page, 0)
    assert dialogs == []


@pytest.mark.parametrize(
    ("text", "sentence"), [("  ", "There is no text"), ("x" * 10_000, "the limit is 500")]
)
def test_a_text_that_cannot_be_decoded_gets_a_sentence(opened: Page, text: str, sentence: str) -> None:
    shown = hypotheses(opened)
    source(opened).fill(text)
    source(opened).press("Control+Enter")
    expect(opened.locator(".toast-body")).to_contain_text(sentence)
    expect(opened.locator("#run")).to_have_attribute("aria-busy", "false")
    assert hypotheses(opened) == shown


def test_visitors_with_different_checkpoints_do_not_mix(visitors: Callable[[], Page]) -> None:
    first, second = visitors(), visitors()
    choose_checkpoint(second, REVERSE)
    alone = [decode(first, "casa"), decode(second, "casa")]
    for page in (first, second):  # now both at once
        source(page).fill("hola")
        source(page).press("Control+Enter")
    before = [results(first), results(second)]
    for page in (first, second):
        source(page).fill("casa")
        source(page).press("Control+Enter")
    for page, count in zip((first, second), before, strict=True):
        wait_for_result(page, count)
    assert "asac" in alone[1][0]
    assert "asac" not in alone[0][0]
    assert "asac" not in "".join(hypotheses(first))


def test_a_page_closed_mid_run_leaves_the_server_well(
    opened: Page, visitors: Callable[[], Page], app_log: Path
) -> None:
    for _ in range(3):
        leaving = visitors()
        source(leaving).fill("me gustaría aprender a tocar la guitarra " * 10)
        source(leaving).press("Control+Enter")
        leaving.close()
    assert decode(opened, "hola")
    assert "Traceback" not in app_log.read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_no_serious_violation(page: Page, app_url: str, scheme: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    visit(page, f"{app_url}?__theme={scheme}")
    for strategy in ("Beam search", "Sampling"):
        page.get_by_label(strategy, exact=True).check(force=True)
        found = Axe().run(page).response["violations"]
        serious = [violation for violation in found if violation["impact"] in {"serious", "critical"}]
        assert [(violation["id"], violation["nodes"][0]["html"]) for violation in serious] == []


def test_a_phone_scrolls_in_one_direction_only(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, app_url)
    for strategy in ("Beam search", "Sampling", "Greedy"):
        page.get_by_label(strategy, exact=True).check(force=True)
        assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_the_colour_scheme_can_be_switched_and_is_in_the_link(opened: Page) -> None:
    was_dark = "dark" in (opened.locator("body").get_attribute("class") or "")
    opened.get_by_role("button", name="Switch between light and dark").click()
    is_dark = "dark" in (opened.locator("body").get_attribute("class") or "")
    assert is_dark is not was_dark
    assert f"__theme={'dark' if is_dark else 'light'}" in opened.url

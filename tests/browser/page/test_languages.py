"""The page in each of its languages: no text stays English, and none overflows."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from demo.i18n import LANGUAGES, translations
from demo.work.operator.settings import TABS
from tests.browser.decode_page import choose, open_chip, source, visit
from tests.browser.windows import VIEWPORT
from tests.grids import release_only

READY = {
    "compare": "#comparison .compare:not([data-ready='0'])",
    "evaluate": "#evaluation .evaluation[data-stage='done']:not([data-ready='0'])",
    "checkpoints": "#gallery [data-state=shown]",
    "training": "#train-kind",
}
# What a reader sees or is told, but for what is data: sources, outputs, tokens, names, cards.
TEXTS = """() => {
  const data = "textarea, option, [dir=auto], .cg-body, #model-card-text, .example, [translate=no]";
  const found = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const box = node.parentElement;
    if (box.checkVisibility() && !box.closest(data + ", script, style")) found.add(node.textContent.trim());
  }
  for (const node of document.querySelectorAll("[aria-label], [title], [placeholder]"))
    if (node.checkVisibility() && !node.closest(data))
      for (const name of ["aria-label", "title", "placeholder"]) found.add(node.getAttribute(name) ?? "");
  return [...found];
}"""
WIDE = """Math.max(...[document.documentElement, document.querySelector("#tabs [role=tablist]")].map(
  (box) => box.scrollWidth - box.clientWidth))"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("locale", "code"), [("zh-TW", "zh"), *release_only([("es-MX", "es"), ("en-GB", "en")])]
)
def test_no_fixed_text_is_left_in_english_and_nothing_sticks_out(
    open_window: Callable[..., Page], app_url: str, locale: str, code: str
) -> None:
    page = open_window(locale=locale)
    visit(page, app_url)
    assert page.evaluate("document.documentElement.lang.split('-')[0]") == code
    words = translations(code)
    english = {text for text, translated in words.items() if translated != text} - set(words.values())
    for tab in TABS:
        page.locator(f"#tabs [role=tab][data-tab-id={tab}]:visible").first.click()
        if tab in READY:
            page.wait_for_selector(READY[tab])
        for width in (390, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            texts = set(page.evaluate(TEXTS))
            assert sorted(texts & english) == [], (tab, width)
            assert not [text for text in texts if "__i18n__" in text], (tab, width)
            assert page.evaluate(WIDE) <= 0, (tab, width)


def test_a_reader_goes_from_language_to_language(
    open_window: Callable[..., Page], app_url: str, subtests: pytest.Subtests
) -> None:
    page = open_window(locale="fr-FR", viewport={"width": 390, "height": 900})
    visit(page, app_url)
    with subtests.test("an incomplete language is offered and mixed with English"):
        assert page.locator("html").get_attribute("lang") == "en"
        page.locator(".page-header > .tools-open").click()
        page.get_by_role("combobox", name="Language").select_option(label=LANGUAGES["fr"].label)
        page.wait_for_selector("html[lang=fr] #run")
        assert page.locator("#run").inner_text() == translations("fr")["Decode"]
        page.locator(".page-header > .tools-open").click()
        expect(page.get_by_role("combobox", name=translations("fr")["Language"])).to_have_value("fr")
        assert page.evaluate(WIDE) <= 0
    page.set_viewport_size(VIEWPORT)
    with subtests.test("a switch keeps the form"):
        source(page).fill("estoy muy emocionada")
        choose(page, translations("fr")["Greedy"])
        switch_to_chinese(page)
        expect(source(page)).to_have_value("estoy muy emocionada")
        expect(page.locator("#strategy input:checked")).to_have_value("greedy")
        assert page.locator("#run").inner_text() == translations("zh")["Decode"]
        assert page.locator(".language select").input_value() == "zh"
    with subtests.test("and the list of results, which opens what it lists"):
        open_chip(page, "results")
        texts = page.locator("#results .rs-result > :first-child")
        # A slow page may have decoded the text once more, before the strategy was chosen.
        expect(texts.first).to_have_text("estoy muy emocionada")
        expect(texts.last).to_have_text("Ganó el premio.")
        texts.last.click()
        expect(source(page)).to_have_value("Ganó el premio.")
        expect(page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")
    with subtests.test("a switch is remembered"):
        visit(page, app_url)
        assert page.locator("html").get_attribute("lang") == "zh-CN"
    with subtests.test("an address overrides it once"):
        visit(page, f"{app_url}?__lang=es")
        assert page.locator("#run").inner_text() == translations("es")["Decode"]
    with subtests.test("the server speaks the language of the page"):
        source(page).fill("")
        page.locator("#run").click()
        page.get_by_text(translations("es")["There is no text to decode. Type a sentence first."]).wait_for()
        # A screen reader reads the title itself, and not what a style sheet draws over it.
        expect(page.locator(".toast-title")).to_have_text(translations("es")["That does not work"])
    with subtests.test("a switch keeps the result where the text is blank"):
        output = page.locator("#trace .tv-hypothesis .tv-text").first.text_content()
        source(page).fill("  ")
        page.locator(".language select").select_option("en")
        page.wait_for_selector("html[lang=en] #trace .tv-filled")
        expect(page.locator("#trace .tv-hypothesis .tv-text").first).to_have_text(output or "")
    with subtests.test("a switch names what would be lost"):
        lose_a_picture(page)


def switch_to_chinese(page: Page) -> None:
    page.locator(".language select").select_option("zh")
    page.wait_for_selector("html[lang=zh-CN] #run")


def lose_a_picture(page: Page) -> None:
    large = "data:image/png;base64," + "A" * 200_000
    keep = "({ detail }) => unrolled.gather(detail, ['checkpoint', 'text'], ['shapes-captioner', LARGE])"
    page.evaluate(f"document.addEventListener('unrolled:gather', {keep.replace('LARGE', repr(large))})")
    switch_to_chinese(page)
    translated = next(
        text for english, text in translations("zh").items() if english.startswith("Not kept: a large")
    )
    expect(page.locator(".link-notice li")).to_have_text(translated)
    assert "AAAA" not in page.url
    page.reload()
    page.wait_for_selector("#trace [data-restored=true]")
    expect(page.locator(".link-notice")).to_be_hidden()

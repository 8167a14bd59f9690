"""The page in each of its languages: no text stays English, and none overflows."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from demo.i18n import LANGUAGES, translations
from demo.operator.settings import TABS
from tests.browser.decode_page import choose, visit
from tests.grids import full_only

Open = Callable[[str, int], Page]
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


@pytest.fixture
def opened_in(open_window: Callable[..., Page], app_url: str) -> Open:
    """`opened_in(locale, width)` is the page in a browser of this language."""

    def open_page(locale: str, width: int) -> Page:
        page = open_window(locale=locale)
        page.set_viewport_size({"width": width, "height": 900})
        visit(page, app_url)
        return page

    return open_page


@pytest.mark.full
@pytest.mark.parametrize(
    ("locale", "code"), [("es-MX", "es"), *full_only([("zh-TW", "zh"), ("en-GB", "en")])]
)
def test_no_fixed_text_is_left_in_english_and_nothing_sticks_out(
    opened_in: Open, locale: str, code: str
) -> None:
    page = opened_in(locale, 1440)
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


def test_the_language_switch_keeps_the_form_and_is_remembered_and_an_address_overrides_it_once(
    app_page: Page, app_url: str
) -> None:
    page = app_page
    page.locator("#source textarea").fill("estoy muy emocionada")
    choose(page, "Greedy")
    page.get_by_role("combobox", name="Language").select_option("zh")
    page.wait_for_selector("html[lang=zh-CN] #run")
    expect(page.locator("#source textarea")).to_have_value("estoy muy emocionada")
    expect(page.locator("#strategy input:checked")).to_have_value("greedy")
    assert page.locator("#run").inner_text() == translations("zh")["Decode"]
    assert page.locator(".language select").input_value() == "zh"
    visit(page, app_url)
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    visit(page, f"{app_url}?__lang=es")
    assert page.locator("#run").inner_text() == translations("es")["Decode"]


def test_an_incomplete_language_is_offered_and_mixed_with_english(opened_in: Open) -> None:
    page = opened_in("fr-FR", 390)
    assert page.locator("html").get_attribute("lang") == "en"
    page.get_by_role("combobox", name="Language").select_option(label=LANGUAGES["fr"].label)
    page.wait_for_selector("html[lang=fr] #run")
    assert page.locator("#run").inner_text() == translations("fr")["Decode"]
    expect(page.get_by_role("combobox", name=translations("fr")["Language"])).to_have_value("fr")
    assert page.evaluate(WIDE) <= 0


def test_the_language_switch_names_what_would_be_lost(app_page: Page) -> None:
    page = app_page
    large = "data:image/png;base64," + "A" * 200_000
    keep = "({ detail }) => unrolled.gather(detail, ['checkpoint', 'text'], ['shapes-captioner', LARGE])"
    page.evaluate(f"document.addEventListener('unrolled:gather', {keep.replace('LARGE', repr(large))})")
    page.get_by_role("combobox", name="Language").select_option("es")
    page.wait_for_selector("html[lang=es] #run")
    translated = next(
        text for english, text in translations("es").items() if english.startswith("Not kept: a large")
    )
    expect(page.locator(".link-notice li")).to_have_text(translated)
    assert "AAAA" not in page.url
    page.reload()
    page.wait_for_selector("#trace [data-restored=true]")
    expect(page.locator(".link-notice")).to_be_hidden()


def test_server_sentences_come_in_the_language_of_the_page(opened_in: Open) -> None:
    page = opened_in("es-MX", 1440)
    page.locator("#source textarea").fill("")
    page.locator("#run").click()
    translated = translations("es")["There is no text to decode. Type a sentence first."]
    page.get_by_text(translated).wait_for()
    # A screen reader reads the title itself, and not what a style sheet draws over it.
    expect(page.locator(".toast-title")).to_have_text(translations("es")["That does not work"])

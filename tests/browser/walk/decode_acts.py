"""Acts of a reader on the Decode tab: choices, texts, fields with any content, and edits of the result."""

from __future__ import annotations

from random import Random

from playwright.sync_api import Locator

from models.decoding.strategies import names
from tests.browser.decode_page import open_chip, open_more, open_rail, open_tab, source, title_of
from tests.browser.walk.walk import Walk

CHECKPOINTS = ("spa-eng-gru", "spa-eng-lstm", "eng-spa-transformer", "reverse-gru", "reverse-rnn")
TEXTS = ("hola", "buenos días", "the red house", "unrolled", "¿Dónde está la biblioteca?", "مرحبا 👩‍🚀")
NUMBERS = ("1", "2", "3", "8", "0.5", "0.7", "-1", "", "1e", "1.", "999999")
WORDS = ("award", "the", "casa, the", "the,", ",", "unbelievabletown", " ", "")
FIELDS = "#strategy-card input:is([type=number], [type=text]):visible"
# Whether a decoding has begun or ended since, or a refusal has been shown.
ANSWERED = """before => document.querySelector(".toast-body:not([data-seen])")
  || Number(document.querySelector("#trace .trace-view").dataset.ready) > before"""
# All at once, since an answer to an earlier step may change or close the list.
CLICK_ONE = """([selector, number]) => {
  const choices = [...document.querySelectorAll(selector)].filter((each) => each.textContent.trim());
  choices[number % choices.length].click();
  return choices[number % choices.length].textContent;
}"""
HAS_OPENED = """result => result.trim().startsWith(document.querySelector("#source textarea").value.trim())"""
SEE_TOASTS = """() => {
  for (const toast of document.querySelectorAll(".toast-body")) toast.dataset.seen = "true";
  return Number(document.querySelector("#trace .trace-view").dataset.ready);
}"""


def _pick(choices: Locator, chance: Random) -> Locator | None:
    """One of the elements that are in sight."""
    visible = [choice for choice in choices.all() if choice.is_visible()]
    return chance.choice(visible) if visible else None


def choose_checkpoint(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    name = chance.choice(CHECKPOINTS)
    open_chip(walk.page, "checkpoint")
    walk.page.locator("#checkpoint input").click()
    walk.page.get_by_role("option", name=title_of(name)).click()
    walk.page.keyboard.press("Escape")
    return name


def go_to_neighbour(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    open_chip(walk.page, "checkpoint")
    button = _pick(walk.page.locator("#checkpoint-neighbours button"), chance)
    if button:
        button.click()
    return "" if button else "none"


def choose_strategy(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    name = chance.choice(names())
    open_rail(walk.page)
    walk.page.locator(".more-strategies input").check()
    # Not `check`, which fails where the answer of an earlier step comes in between.
    walk.page.locator(f"#strategy input[value={name}]").click(force=True)
    return name


def fill_field(walk: Walk, chance: Random) -> str:
    """Type something, valid or not, into any field, and leave it by a key or not at all."""
    walk.go_to_decode()
    page = walk.page
    open_rail(page)
    if not page.locator("#constraints input:visible").count():
        page.locator("#constraints button").first.click()
        page.locator("#constraints input:visible").first.wait_for()
    field = _pick(page.locator(FIELDS), chance)
    assert field is not None
    is_number = field.get_attribute("type") == "number"
    content = chance.choice(NUMBERS if is_number else WORDS)
    field.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    page.keyboard.type(content)
    key = chance.choice(("Enter", "Enter", "Tab", ""))
    before = page.evaluate(SEE_TOASTS)
    if key:
        page.keyboard.press(key)
    if key == "Enter":
        page.wait_for_function(ANSWERED, arg=before)
    return f"{field.get_attribute('aria-label')}: “{content}” {key}"


def decode_text(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    text = chance.choice(TEXTS)
    source(walk.page).fill(text)
    source(walk.page).press("Enter")
    return text


def type_text(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    text = chance.choice((*TEXTS, "", "  "))
    source(walk.page).fill(text)
    return text


def choose_example(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    open_chip(walk.page, "examples")
    return str(walk.page.evaluate(CLICK_ONE, ["#examples .example", chance.randrange(100)]))


def reopen_result(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    open_chip(walk.page, "results")
    result = str(walk.page.evaluate(CLICK_ONE, ["#results .rs-result", chance.randrange(100)]))
    walk.page.wait_for_function(HAS_OPENED, arg=result)  # the form follows the result
    return result


def move(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    token = _pick(walk.page.locator("#trace .tv-out"), chance)
    if token:
        token.click()
    return "" if token else "none"


def choose_hypothesis(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    open_tab(walk.page, "hypotheses")
    hypothesis = _pick(walk.page.locator("#trace .tv-hypothesis"), chance)
    if hypothesis:
        hypothesis.click()
    return "" if hypothesis else "none"


def force_token(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    open_tab(walk.page, "next")
    button = _pick(walk.page.locator("#trace .tv-bars .tv-force"), chance)
    if button is None:
        return "none"
    label = button.get_attribute("aria-label")
    button.click()
    return str(label)


def type_token(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    open_tab(walk.page, "next")
    word = chance.choice(("was", "house", "ab", "语", ""))
    box = open_more(walk.page, "left").locator(".tv-typed input")
    box.fill(word)
    box.press("Enter")
    walk.page.keyboard.press("Escape")
    return word


def edit_attention(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    if walk.page.locator("#trace .tv-pane[data-pane=right] [data-card=attention][hidden]").count():
        return "none"
    open_tab(walk.page, "attention")
    button = open_more(walk.page, "right").locator(".tv-edit-attention")
    if not button.is_visible():
        walk.page.keyboard.press("Escape")
        return "none"
    button.click()
    editor = walk.page.locator("#trace .tv-row-editor")
    only = _pick(editor.locator(".tv-only"), chance)
    if only:
        only.click()
    editor.locator(".tv-apply").click()
    return ""


def choose_version(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    if walk.page.locator("#trace .tv-version").count() < 2:
        return "none"
    open_tab(walk.page, "versions")
    button = _pick(walk.page.locator("#trace :is(.tv-version, .tv-undo:enabled)"), chance)
    if button:
        button.click()
    return "" if button else "none"


def inspect(walk: Walk, chance: Random) -> str:
    walk.go_to_decode()
    button = walk.page.locator("#trace [data-pane-shown=inspect]:visible")
    if not button.count():
        return "none"
    button.click()
    view = _pick(walk.page.locator("#trace .tv-pane[data-pane=inspect] [role=tab]"), chance)
    if view:
        view.click()
    return ""

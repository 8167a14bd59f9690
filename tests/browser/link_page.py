"""A visitor's actions with links, as functions of a page."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import Page, expect

from tests.browser.decode_page import open_share

VIEW = "#trace .trace-view"
# As over http, which keeps the clipboard from a page.
INSECURE = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
REFUSE_TO_COPY = "document.execCommand = () => false"
SAY_NO = f"{INSECURE}; {REFUSE_TO_COPY}"
# The visible texts and numbers, and the choices; times differ from run to run.
VIEW_STATE = """selector => {
  const view = document.querySelector(selector);
  const chosen = [..."[aria-pressed=true] [aria-current] :checked input[type=range]".split(" ")]
    .flatMap((selector) => [...view.querySelectorAll(selector)]);
  const { step, node, hypothesis } = view.dataset;
  const values = chosen.map((each) => each.value || each.innerText);
  return { text: view.innerText, step, node, hypothesis, values };
}"""


def copied(page: Page, tab: str = "decode") -> str:
    """Press “Copy link” and return the content of the clipboard."""
    open_share(page, tab)
    page.locator(f"#share-{tab} .sh-copy").click()
    expect(page.locator(f"#share-{tab} .sh-status")).to_contain_text("Link copied")
    return str(page.evaluate("navigator.clipboard.readText()"))


def restored(page: Page, url: str, view: str = VIEW) -> None:
    page.goto(url)
    expect(page.locator(view)).to_have_attribute("data-restored", "true")


def parameters(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query))

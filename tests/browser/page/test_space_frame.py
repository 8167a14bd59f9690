"""The page in the frame of a Space, which is as tall as its content; only the outer page scrolls."""

from __future__ import annotations

import pytest
from playwright.sync_api import Frame, Page, ViewportSize, expect

from tests.browser.decode_page import BOTTOM, EXAMPLE
from tests.browser.link_page import VIEW
from tests.browser.page.test_axe_states import SIZES
from tests.browser.windows import VIEWPORT

TABS = ("Decode", "Compare", "Evaluate", "Checkpoints", "Training", "Learn")
HEADER = 56  # pixels of the host's own
# The host's half of iframe-resizer 4.3, whose other half Gradio serves: a first message with its options. The
# frame answers with a message for each height that it wants.
HOST = """<!doctype html><style>body { margin: 0 } iframe { width: 100%; border: 0; display: block }</style>
<header style="height: HEADERpx"></header><iframe scrolling="no" src="ADDRESS"></iframe>
<script>
  const frame = document.querySelector("iframe");
  window.heights = [];
  addEventListener("message", ({ data }) => {
    if (!String(data).startsWith("[iFrameSizer]space:")) return;
    const height = Number(data.split(":")[1]);
    if (height === heights.at(-1)) return;
    heights.push(height);
    frame.style.height = `${height}px`;
  });
  const options = "8:false:false:32:true:true::bodyOffset:::0:false:parent:scroll:false";
  frame.onload = () => frame.contentWindow.postMessage(`[iFrameSizer]space:${options}`, "*");
</script>"""
# Elements that are taller in a high frame than in a low one: they would ask for more height again and again.
GROWING = """() => {
  const { style, offsetHeight, contentDocument } = document.querySelector("iframe");
  const inside = [...contentDocument.querySelectorAll("main.contain *")];
  const [low, high] = [300, 3000].map((height) => {
    style.height = `${height}px`;
    return inside.map((element) => element.offsetHeight);
  });
  style.height = `${offsetHeight}px`;
  const taller = inside.filter((_, at) => high[at] > low[at]);
  return taller.map(({ tagName, id, className }) => [tagName, id, className]);
}"""
MAX_CHANGES = (
    40  # changes of the height while a tab opens: 1 to 17 were seen, and one without end has no limit
)
CALM = 60  # frames without a change


@pytest.fixture
def frame(page: Page, app_url: str) -> Frame:
    """The page in its frame, with a result."""
    body = HOST.replace("ADDRESS", app_url).replace("HEADER", str(HEADER))
    page.route(f"{app_url}host", lambda route: route.fulfill(body=body, content_type="text/html"))
    page.goto(f"{app_url}host")
    inside = page.frame_locator("iframe")
    expect(inside.locator(VIEW)).to_have_attribute("data-ready", "1")
    expect(inside.locator("#source textarea")).to_have_value(EXAMPLE)
    return next(frame for frame in page.frames if frame.url == app_url)


def settled(page: Page) -> int:
    """Wait until the height is stable for some frames, and return the number of changes."""
    while True:
        before = page.evaluate("heights.length")
        page.evaluate(
            """async (pictures) => {
              while (pictures--) await new Promise(requestAnimationFrame);
            }""",
            CALM,
        )
        after = int(page.evaluate("heights.length"))
        if after == before or after > MAX_CHANGES:
            return after


@pytest.mark.full
@pytest.mark.parametrize("size", [VIEWPORT, SIZES["phone"]])
def test_the_page_fits_into_a_frame_as_tall_as_itself(
    page: Page, frame: Frame, size: ViewportSize, subtests: pytest.Subtests
) -> None:
    with subtests.test("the result fits the screen around a Space"):
        assert settled(page) <= MAX_CHANGES
        assert frame.evaluate("innerHeight") < 1600
        assert frame.evaluate(BOTTOM, ".tv-tree") <= page.evaluate("screen.availHeight") + HEADER
    page.set_viewport_size(size)
    for name in (*TABS, TABS[0]):
        with subtests.test("the height of a tab settles", tab=name):
            page.evaluate("() => { heights.length = 0; }")
            # A phone shows the current tab alone.
            tab = frame.get_by_role("tab", name=name, exact=True, include_hidden=True).first
            tab.evaluate("tab => tab.click()")
            assert settled(page) <= MAX_CHANGES
            assert page.evaluate(GROWING) == []

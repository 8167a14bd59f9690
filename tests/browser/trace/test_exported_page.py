"""The exported page: one file, which needs neither server nor network."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.charts import bring_plotly, click_point
from tests.browser.decode_page import open_tab
from tests.browser.trace.ranking_page import alpha, lengths_trace, texts
from tests.browser.trace.test_fill_screen import LETTERS, OTHERS, filled
from tests.browser.trace_page import NODE_AT, expect_selection, with_ranking
from tests.fakes.exported_page import exported_page

IMAGE = "<img src=x onerror=alert(1)>"
SOURCE = ("</script><script>alert(1)</script>", "<b>", "\u2028", "</s>")
NEEDS_SERVER = "Only the running page can compute this."


def test_the_exported_page_works_offline(
    page: Page, tmp_path: Path, expected_errors: list[str], subtests: pytest.Subtests
) -> None:
    expected_errors.append("request to another host: file:")  # the page itself
    trace = lengths_trace(source=SOURCE, a=IMAGE, y="{{value}}")
    path = tmp_path / "page.html"
    path.write_text(exported_page(trace), encoding="utf-8")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.context.set_offline(True)
    page.goto(path.as_uri())
    view = page.locator(".trace-view")
    expect(view).to_have_attribute("data-ready", "1")
    with subtests.test("its header says what was decoded"):
        expect(page.get_by_role("heading", level=1)).to_have_text(f"{trace.checkpoint} · Beam 4")
        expect(page.locator("#about p")).to_have_text(trace.source_text)
    with subtests.test("the reader steps, and a click in the tree chooses a path"):
        steps_and_clicks_work(view)
    with subtests.test("it ranks"):
        with_ranking(view)
        alpha(view).fill("1")
        expect(texts(view)).to_have_text(["b x z w", "c{{value}}", IMAGE])
    with subtests.test("hostile text stays text"):
        assert view.locator("img, script, b b, a[href]").count() == 0
    with subtests.test("Why needs the server"):
        open_tab(view, "why")
        expect(view.locator(".tv-why-sentence")).to_have_text(NEEDS_SERVER)
        expect(view.locator(".tv-why tbody tr")).to_have_count(0)
    with subtests.test("a chart fills the screen"):
        open_tab(view, "attention")
        _, after = filled(view, "right", ".tv-heatmap")
        assert after["letters"] >= LETTERS
        assert page.evaluate(OTHERS) == []
        page.keyboard.press("Escape")
    with subtests.test("Inspect needs the server"):
        view.locator("[data-pane-shown=inspect]").click()
        expect(view.locator(".tv-inspect-card.tv-open .tv-inspect-summary")).to_have_text(NEEDS_SERVER)
    assert [url for url in requests if not url.startswith(("file:", "blob:", "data:"))] == []


def steps_and_clicks_work(view: Locator) -> None:
    view.page.keyboard.press("ArrowRight")
    expect(view).to_have_attribute("data-step", "1")
    view.page.keyboard.press("ArrowLeft")
    expect(view).to_have_attribute("data-step", "0")
    view.get_by_role("button", name="Next step").click()
    expect_selection(view, step=1, node=3, hypothesis=0)
    tree = view.locator(".tv-tree")
    bring_plotly(tree)
    click_point(tree, tree.evaluate(NODE_AT, 5))
    expect_selection(view, step=1, node=5, hypothesis=2)
    expect(view.locator(".tv-heatmap .ytick text").nth(1)).to_have_text("{{value}}")

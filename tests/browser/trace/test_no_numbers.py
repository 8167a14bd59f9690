"""A link for an exam: no card of a result shows a number of the model."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from demo.links.hiding import PRESETS, hiding_rules
from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from tests.browser.bare_page import BarePage
from tests.browser.trace_page import open_trace

NUMBER = re.compile(r"\d*[.,]\d+|\d+ ?%|\bnats?\b")
VISIBLE = """(view) => {
  const texts = [];
  const isVisible = (node) => node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const walker = document.createTreeWalker(view, NodeFilter.SHOW_TEXT);
  while (walker.nextNode())
    if (isVisible(walker.currentNode.parentElement)) texts.push(walker.currentNode.textContent);
  for (const node of view.querySelectorAll("[title], [aria-label]"))
    if (isVisible(node)) texts.push(node.title ?? "", node.getAttribute("aria-label") ?? "");
  return texts.map((text) => text.trim()).filter(Boolean);
}"""


def texts(view: Locator) -> list[str]:
    """The visible texts, hints and labels of a view."""
    visible: list[str] = view.evaluate(VISIBLE)
    return visible


@pytest.mark.parametrize("strategy", ["beam", "sampling", "picture"])
def test_an_exam_shows_no_number_of_the_model_in_any_card(
    bare: BarePage, context: AppContext, strategy: str, subtests: pytest.Subtests
) -> None:
    if strategy == "picture":
        trace = context.registry.example("shapes-captioner")
        assert trace is not None
    else:
        options = DecodingOptions(strategy, temperature=1.5, num_samples=3, seed=3, max_length=12)
        trace = context.decode(DecodeRequest("spa-eng-gru", "Ganó el premio.", options))
    view = open_trace(bare, None)
    bare.page.add_style_tag(content=hiding_rules())
    bare.page.evaluate(
        "hidden => { document.documentElement.dataset.hide = hidden; }", " ".join(PRESETS["exam"].hidden)
    )
    bare.show(trace)
    expect(view).to_have_attribute("data-ready", "1")
    tabs = view.locator("[role=tab]:visible")
    names = [str(tab.get_attribute("data-tab")) for tab in tabs.all()]
    assert {"attention", "tree"} <= set(names)
    for name in names:
        with subtests.test(name):
            view.locator(f"[role=tab][data-tab={name}]").click()
            assert [text for text in texts(view) if NUMBER.search(text)] == []

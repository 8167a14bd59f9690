"""The engine decodes in Chromium, under a policy that forbids other hosts and code made of texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from demo.static.python_files import PYODIDE
from tests.demo.static.requests import REQUESTS, by_library, with_text
from tests.demo.static.site import StrictHandler, served, write_site

pytestmark = pytest.mark.skipif(not PYODIDE.exists(), reason="needs the packages of package.json")
BEGIN = """async (base) => {
  const { startEngine } = await import(`${base}scripts/static/worker/engine.js`);
  const onProgress = ({ loaded }) => { globalThis.loaded = loaded; };
  globalThis.engine = await startEngine({ base, language: "es", onProgress });
}"""
DECODE = "async (request) => (await engine('decode', { request })).trace"
# The decoding after a cancelled one.
NEXT = """async (request) => {
  const ended = engine("decode", { request }).catch(() => null);
  await engine("cancel");
  await ended;
  return (await engine("decode", { request })).trace.trace.hypotheses.text;
}"""


def outline(trace: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The tree of a trace of the library: each node with its parent, token, status and reason."""
    nodes = [node for step in trace["steps"] for node in step["nodes"]]
    return [tuple(node[name] for name in ("parent", "token_id", "status", "reason")) for node in nodes]


@pytest.mark.full
def test_the_engine_decodes_in_the_browser_and_can_be_cancelled(page: Page, tmp_path: Path) -> None:
    write_site(tmp_path)
    with served(tmp_path, StrictHandler) as base:
        page.goto(base)
        page.evaluate(BEGIN, base)
        for request in [x for x in REQUESTS if x["strategy"] in {"beam", "greedy"}]:
            drawn = page.evaluate(DECODE, with_text(request))["trace"]
            expected = by_library(with_text(request))
            assert drawn["hypotheses"]["text"] == [x["text"] for x in expected["hypotheses"]]
            columns = (drawn["nodes"][name] for name in ("parent", "token_id", "status", "reason"))
            assert list(zip(*columns, strict=True)) == outline(expected)
        assert page.evaluate("loaded") > 0
        request = with_text({"checkpoint": "dates-transformer", "strategy": "beam"})
        assert page.evaluate(NEXT, request) == [x["text"] for x in by_library(request)["hypotheses"]]
        page.goto("about:blank")

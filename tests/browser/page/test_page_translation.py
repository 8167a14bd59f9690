"""A browser that translates the page leaves alone what a model read or wrote, in every view."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from demo.compare.view.component import CompareView
from demo.compare.work.rows import PairComparison, PairSide, StrategyComparison
from demo.decode.source_tokens.component import SourceTokens
from demo.learn.views import LabsView, LessonDock
from demo.trace.component import TraceView
from demo.training.data_preview.component import DataView
from demo.widgets.columns.component import ColumnsView
from demo.widgets.view.view import View
from demo.work.context import AppContext
from demo.work.requests.compare import ComparisonRequest, Side
from demo.work.requests.decode import decoding_options
from models.registry.registry import Registry
from models.tokenization.tokenizer import Encoding
from tests.browser.bare_page import BarePage
from tests.browser.conftest import ROOT
from tests.browser.evaluate import test_evaluation_view as evaluation
from tests.browser.training.run_page import FIRST, open_run
from tests.demo.training.test_data_preview import DATA, data_preview
from tests.fakes.outcomes import row
from tests.fakes.traces import END, WITHIN, F, K, build_trace
from tests.fakes.training import run_events
from tests.source_modules import sources

# In each text of a model, and in no sentence of the page; an output may be the source backwards.
MARK = "zq"
# The texts that a browser would translate, each with its element.
EXPOSED = """(root, mark) => {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const exposed = [];
  let protectedCount = 0;
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (!new RegExp(mark, "i").test(node.data) || node.parentElement.closest("script, style")) continue;
    const holder = node.parentElement.closest("[translate]");
    if (holder?.getAttribute("translate") === "no") protectedCount += 1;
    else exposed.push(`${node.parentElement.outerHTML.slice(0, 120)}: ${node.data}`);
  }
  return [protectedCount, exposed];
}"""
OPEN_ALL = "tabs => { for (const tab of tabs) tab.click(); }"
CHART = {"name": "c", "title": "After “zqa”", "data": [], "layout": {"meta": {"min_width": 99}, "height": 99}}
CONTENT = {
    "sentences": ["It writes “zqa”.", "Then «zqb»."],
    "controls": [],
    "charts": [],
    "table": {"head": ["rank of “zqa”", "token"], "rows": [[1, "zqb"]]},
}
# Views that show no text of a model: names, settings and sentences of the page, or pictures.
WITHOUT_DATA = {
    *("CheckpointGallery", "CheckpointSummary", "Chip", "CourseMap", "HubShelf", "LinkNotice"),
    *("PictureInput", "PushView", "ShareBar", "StrategyPicker"),
    "ResultsMenu",  # its list comes from the page: tests/browser/decode/test_visitors.py
}


def inspect(data: object) -> dict[str, Any]:
    return CONTENT


def compute(data: object) -> dict[str, Any]:
    return CONTENT


def list_labs(data: object) -> dict[str, Any]:
    return {"labs": [["lab", "A lab", "Which?", False]]}


def why(data: object) -> dict[str, Any]:
    method = {"title": "m", "paper": "p", "source": [1, 2, 0], "prefix": [0], "gap": None, "signed": True}
    return {"value": -1, "sentence": "“zqthe” has −1 nats.", "methods": {"gradient": method}}


LESSON_STEPS: list[dict[str, Any]] = [
    {"kind": "choose", "options": []},
    {"kind": "order", "options": []},
    {"kind": "draw", "options": [], "low": 0, "high": 1},
    {"kind": "type", "options": []},
]


def lesson(data: object) -> dict[str, Any]:
    steps = [
        {"name": form["kind"], "text": "Why “zqa”?", "opens": False, "state": "", "done": "", "asks": True}
        | {"prediction": {"low": 0, "high": 1, "resolution": 1, **form}}
        for form in LESSON_STEPS
    ]
    return {"id": "x", "title": "T", "minutes": 1, "reading": "", "steps": steps, "words": {}, "kit": None}


def step(data: Any) -> dict[str, Any]:
    kind = LESSON_STEPS[data["step"] - 1]["kind"]
    options = {"options": ["zqa", "zqb"]} if kind in {"choose", "order"} else {}
    return {"text": "After “zqa”?", "rows": ["zqa"], "columns": ["zqb", "zqc"], **options}


def reveal(data: Any) -> dict[str, Any]:
    values = [[0.1, 0.9]] if data["step"] == 3 else [9, 4]
    answer = {1: 0, 2: [0, 1]}.get(data["step"], {"columns": ["zqa", "zqb"], "values": values})
    return {"answer": answer, "shown": ["1", "2"], "text": "It is “zqa”.", "evidence": None}


def trace_view(bare: BarePage) -> Locator:
    steps = [
        [(None, "▁zqthe", 0.6, K, WITHIN), (None, "▁zqa", 0.3, K, WITHIN)],
        [(0, "▁zqbook", 0.7, K, WITHIN), (1, "▁zqlibrary", 0.2, K, WITHIN)],
        [(2, "</s>", 0.9, F, END), (3, "</s>", 0.8, F, END)],
    ]
    trace = build_trace(("▁zqla", "▁zqbiblio", "</s>"), steps, [(4, True), (5, True)])
    bare.open(TraceView(trace, elem_id="view", editable=True, server_functions=[inspect, why]))
    view = bare.page.locator("#view .trace-view")
    expect(view).to_have_attribute("data-ready", "1")
    bare.show(replace(trace, forced=trace.hypotheses[1].token_ids[:1]))
    for pane in view.locator("[data-pane-shown]").all():
        pane.evaluate("button => button.click()")
        for name in view.locator("[role=tab]").evaluate_all("tabs => tabs.map((tab) => tab.dataset.tab)"):
            view.locator(f"[role=tab][data-tab={name}]").evaluate("tab => tab.click()")
    expect(view.locator("[data-pane=inspect] .tv-open .tv-inspect-summary")).to_contain_text(MARK)
    return view


def compare_view(bare: BarePage) -> Locator:
    rows = (row("zqa old house", -3.0, strategy="greedy"), row("zqan house", -2.0, strategy="beam"))
    request = ComparisonRequest("words", "zquna casa", "zqan house", tuple(line.options for line in rows))
    bare.open(CompareView(elem_id="comparison"))
    bare.show(StrategyComparison(request, rows, None, finished=True))
    view = bare.page.locator("#comparison .compare")
    expect(view.locator(".cp-what").first).to_contain_text(MARK)
    assert view.evaluate(EXPOSED, MARK)[1] == []
    sides = (
        PairSide(Side("words", "zquna casa"), "first", rows[0]),
        PairSide(Side("words", "zqdos"), "second", rows[1]),
    )
    bare.show(PairComparison(decoding_options({"strategy": "greedy"}), sides, finished=True))
    expect(view.locator(".cp-word").first).to_contain_text(MARK)
    return view


def columns_view(bare: BarePage) -> Locator:
    bare.open(ColumnsView(elem_id="columns"))
    columns = {"names": ("zqname", "b"), "roles": ("source", ""), "rows": (("zqa", "zqb"),)}
    bare.show({**columns, "called": {"source": "Source"}})
    return bare.page.locator("#columns")


def data_view(bare: BarePage) -> Locator:
    bare.open(DataView(data_preview(replace(DATA, train=(("zqa", "zqb"), *DATA.train))), elem_id="data"))
    return bare.page.locator("#data")


def run_view(bare: BarePage, monkeypatch: pytest.MonkeyPatch) -> Locator:
    monkeypatch.setattr(run_events, "SOURCE", (*(f"zq{letter}" for letter in "abc"), "</s>"))
    monkeypatch.setattr(run_events, "REFERENCE", (*(f"zq{letter}" for letter in "cba"), "</s>"))
    monkeypatch.setattr(run_events, "HOSTILE", "zqhostile")
    return open_run(bare, replace(FIRST, events=run_events.run_events(1000)))


def source_tokens(bare: BarePage) -> Locator:
    bare.open(SourceTokens(elem_id="tokens"))
    bare.show(Encoding("zqab", (5, 1), ("zqa", "b"), ((0, 3), (3, 4)), ("zqb",)))
    bare.page.locator(".st-chip").first.hover()
    return bare.page.locator("#tokens")


def labs_view(bare: BarePage) -> Locator:
    bare.open(LabsView(elem_id="labs", server_functions=[list_labs, compute]))
    bare.page.get_by_role("button", name="A lab").click()
    expect(bare.page.locator("#labs .tv-inspect-summary")).to_contain_text(MARK)
    return bare.page.locator("#labs")


def lesson_dock(bare: BarePage) -> Locator:
    bare.open(LessonDock(elem_id="lesson", server_functions=[lesson, step, reveal]))
    dock = bare.page.locator("#lesson .lesson")
    for number in range(1, len(LESSON_STEPS) + 1):
        dock.evaluate("(dock, step) => dock.unrolled.open({ lesson: 'x', step })", number)
        answer_question(dock, number)
        expect(dock.locator(".ls-outcome")).to_contain_text(MARK)
        assert dock.evaluate(EXPOSED, MARK)[1] == []
    return dock


def answer_question(dock: Locator, number: int) -> None:
    """Predict anything."""
    if number == 3:
        dock.locator(".ls-cell").first.click()
    if number == 4:
        dock.locator(".ls-prediction input").fill("zqb")
    options, button = dock.locator(".ls-option"), dock.get_by_role("button", name="Predict", exact=True)
    (options if number == 1 else button).first.click()


def evaluation_view(bare: BarePage, monkeypatch: pytest.MonkeyPatch) -> Locator:
    monkeypatch.setattr(evaluation, "PAIRS", [("zqab", "baqz"), ("zqcd", "wrong zq")])
    view = evaluation.open_evaluation(bare, AppContext(Registry(ROOT / "checkpoints"), "cpu"))
    view.locator(".ev-row").first.click()
    return view


SAMPLES: dict[str, Callable[..., Locator]] = {
    "TraceView": trace_view,
    "CompareView": compare_view,
    "ColumnsView": columns_view,
    "DataView": data_view,
    "RunView": run_view,
    "SourceTokens": source_tokens,
    "LabsView": labs_view,
    "LessonDock": lesson_dock,
    "EvaluationView": evaluation_view,
}


def test_every_view_has_a_sample_here_or_shows_no_text_of_a_model() -> None:
    for module in sources("demo"):
        importlib.import_module(module.name)
    views = {kind.__name__ for kind in View.__subclasses__() if kind.__module__.startswith("demo.")}
    assert views == SAMPLES.keys() | WITHOUT_DATA


@pytest.mark.parametrize("name", SAMPLES)
def test_what_a_model_read_or_wrote_is_not_translated(
    bare: BarePage, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = SAMPLES[name]
    view = sample(bare, monkeypatch) if "monkeypatch" in sample.__annotations__ else sample(bare)
    count, exposed = view.evaluate(EXPOSED, f"{MARK}|{MARK[::-1]}")
    assert exposed == []
    assert count > 1

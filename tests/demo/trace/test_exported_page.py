from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from demo.trace.cards.files import options, strategy_text
from demo.trace.component import SLOTS, page_shell
from demo.trace.payload import trace_payload
from demo.widgets.view.assets import plotly_file
from models.decoding.options import DecodingOptions, settings
from models.decoding.record.recorded_settings import settings_for_trace
from models.decoding.strategies import names, users
from tests.fakes.exported_page import exported_page
from tests.fakes.traces import hostile_trace


class Elements(HTMLParser):
    """Collects the tags with their attributes, and the content of each script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script" and self.scripts:
            self.scripts[-1] += data


@pytest.fixture(scope="module")
def page() -> Elements:
    return Elements(exported_page(hostile_trace()))


def test_the_exported_page_contains_the_unchanged_trace(page: Elements) -> None:
    assert len(page.scripts) == 4
    assert json.loads(page.scripts[1]) == json.loads(trace_payload(hostile_trace()))


def test_hostile_text_adds_no_element(page: Elements) -> None:
    shell = Elements(page_shell())
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in shell.tags]


def test_an_exported_page_names_checkpoint_strategy_and_source(page: Elements) -> None:
    payload = json.loads(page.scripts[1])
    assert payload["strategy"] == "Beam 4, α 1"
    assert {"checkpoint", "trace"} <= payload.keys()
    assert "source_text" in payload["trace"]
    for expression in ("payload.checkpoint", "payload.strategy", "payload.trace.source_text"):
        assert expression in page.scripts[3]


@pytest.mark.parametrize(
    ("strategy", "settings", "expected"),
    [
        ("beam", {"beam_size": 3, "early_stopping": True, "length_penalty": 0.5}, "Beam 3, α 0.5"),
        ("beam", {"beam_size": 10**6}, "Beam search"),  # a program with other bounds made it
        ("greedy", {"max_length": 10**6}, "Greedy"),
    ],
)
def test_the_exported_page_names_the_requested_strategy(
    strategy: str, settings: dict[str, object], expected: str
) -> None:
    assert strategy_text(replace(hostile_trace(), strategy=strategy, settings=settings)) == expected


@pytest.mark.parametrize("strategy", names())
def test_a_result_states_each_setting_that_the_form_shows_and_no_other(strategy: str) -> None:
    """The page compares them with the form, and fills them in when the result is opened again."""
    settings_of_trace = settings_for_trace(DecodingOptions(strategy))
    trace = replace(hostile_trace(), strategy=strategy, settings=settings_of_trace)
    form = {name for name in settings() if not users(name) or strategy in users(name)}
    assert options(trace).keys() == form
    assert DecodingOptions(**options(trace)) == DecodingOptions(strategy)


def test_nothing_is_fetched(page: Elements) -> None:
    assert not [tag for tag, attributes in page.tags if {"src", "href", "srcset"} & attributes.keys()]
    policies = [attributes["content"] for tag, attributes in page.tags if "http-equiv" in attributes]
    assert len(policies) == 1
    assert policies[0] is not None
    assert policies[0].startswith("default-src 'none';")


def test_plotly_is_inside(page: Elements) -> None:
    assert page.scripts[0].strip() == plotly_file().read_text(encoding="utf-8").strip()
    assert "</script" not in page.scripts[0]


def test_the_exported_page_fills_each_slot_once() -> None:
    shell = page_shell()
    assert [shell.count(slot) for slot in SLOTS] == [1, 1, 1]
    assert not [name for name in ("STYLE", "TEMPLATE", "VIEW") if f"/*{name}*/" in shell]


def test_an_exported_page_is_small(tmp_path: Path) -> None:
    path = tmp_path / "trace.html"
    path.write_text(exported_page(hostile_trace()), encoding="utf-8")
    assert path.stat().st_size < 6_000_000

"""The page's description for a browser holds all that it draws, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from demo.interface import build_demo
from demo.service.context import AppContext


@pytest.fixture
def config(context: AppContext) -> Any:
    return build_demo(context).config


def placed(layout: Any) -> Iterator[int]:
    yield layout["id"]
    for item in layout.get("children", ()):
        yield from placed(item)


@pytest.mark.slow
def test_arguments_of_endpoints_are_no_part_of_the_page(config: Any) -> None:
    arguments = {item["id"] for item in config["components"] if item["type"] == "api"}
    drawn = {item["id"] for item in config["components"]} - arguments
    for layout in (config["layout"], config["page"][""]["layout"]):
        assert {*placed(layout)} - {layout["id"]} == drawn


@pytest.mark.slow
def test_programs_find_them_and_the_browser_does_not_wait_for_them(config: Any) -> None:
    (translate,) = (item for item in config["dependencies"] if item["api_name"] == "translate")
    components = {item["id"]: item for item in config["components"]}
    inputs = [components[item] for item in translate["inputs"]]
    assert {"text", "strategy"} <= {item["props"]["label"] for item in inputs}
    assert {item["props"]["visible"] for item in inputs} == {False}
    assert {*translate["inputs"]} <= {*config["page"][""]["components"]}

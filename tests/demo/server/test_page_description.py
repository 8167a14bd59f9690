"""The page's description for a browser holds all that it draws, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from demo.page.interface import build_demo
from demo.work.context import AppContext


@pytest.fixture
def config(context: AppContext) -> Any:
    return build_demo(context).config


def component_ids(layout: Any) -> Iterator[int]:
    yield layout["id"]
    for component in layout.get("children", ()):
        yield from component_ids(component)


@pytest.mark.slow
def test_arguments_of_endpoints_are_no_part_of_the_page(config: Any) -> None:
    arguments = {component["id"] for component in config["components"] if component["type"] == "api"}
    drawn = {component["id"] for component in config["components"]} - arguments
    for layout in (config["layout"], config["page"][""]["layout"]):
        assert {*component_ids(layout)} - {layout["id"]} == drawn


@pytest.mark.slow
def test_programs_see_the_hidden_arguments_and_the_browser_does_not_render_them(config: Any) -> None:
    (translate,) = (component for component in config["dependencies"] if component["api_name"] == "translate")
    components = {component["id"]: component for component in config["components"]}
    inputs = [components[component] for component in translate["inputs"]]
    assert {"text", "strategy"} <= {component["props"]["label"] for component in inputs}
    assert {component["props"]["visible"] for component in inputs} == {False}
    assert {*translate["inputs"]} <= {*config["page"][""]["components"]}

"""Every Python example of docs/api.md runs with the shipped checkpoints and prints the stated output."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import pytest

from demo.api.endpoints import ENDPOINTS
from demo.page.interface import build_demo, launch_settings
from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.documents import ROOT, Block, Document
from tests.fakes.calls import served

pytestmark = pytest.mark.slow

GUIDE = Document(ROOT / "docs" / "api.md")
EXAMPLES = [block for block in GUIDE.blocks if block.language == "python"]
ADDRESS = "http://127.0.0.1:7860/"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    demo = build_demo(AppContext(Registry(ROOT / "checkpoints"), "cpu"))
    with served(demo, **launch_settings(uploads=False)) as url:
        yield url


@pytest.fixture(scope="module")
def names(url: str) -> dict[str, Any]:
    """The names that the examples define; each example builds on those before it."""
    return {}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda item: f"line-{item.line}")
def test_the_example_prints_its_stated_output(example: Block, url: str, names: dict[str, Any]) -> None:
    code = "\n" * example.line + example.code.replace(ADDRESS, url)
    with redirect_stdout(StringIO()) as printed:
        exec(compile(code, str(GUIDE.path), "exec"), names)
    assert printed.getvalue() == example.printed


def test_every_example_of_the_guide_is_found_and_has_output() -> None:
    assert len(EXAMPLES) == GUIDE.text.count("```python") > 5
    assert all(example.printed for example in EXAMPLES)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_every_endpoint_is_in_the_guide_and_in_an_example(endpoint: Any) -> None:
    assert f"| `/{endpoint.name}` |" in GUIDE.text
    assert any(f'api_name="/{endpoint.name}"' in example.code for example in EXAMPLES)


@pytest.mark.parametrize(
    "argument",
    dict.fromkeys(argument for endpoint in ENDPOINTS for argument in endpoint.arguments),
    ids=lambda item: item.name,
)
def test_every_argument_is_in_the_guide_and_has_a_sentence(argument: Any) -> None:
    assert f"`{argument.name}" in GUIDE.text
    assert argument.meaning.endswith(".")

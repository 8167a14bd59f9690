"""Short versions of the load benchmarks (`python -m tests.benchmarks load`), which take minutes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.benchmarks.flood import flooded
from tests.benchmarks.floods import FLOODS
from tests.benchmarks.load import measure, shipped_examples
from tests.benchmarks.serving import serving

CLIENTS, SECONDS = 10, 3.0
SMALL = ("reverse-gru", "history-gru", "katakana-gru")


@pytest.mark.release
def test_ten_visitors_get_no_error(tmp_path: Path) -> None:
    examples = {name: texts for name, texts in shipped_examples().items() if name in SMALL}
    with serving("app.py", UNROLLED_RUNS=str(tmp_path)) as server:
        load = asyncio.run(measure(server, CLIENTS, SECONDS, examples))
    assert load.record.errors == []
    assert len(load.record.seconds) >= CLIENTS  # everybody was answered
    assert min(load.record.bytes) > 10_000  # with a result


@pytest.mark.release
@pytest.mark.parametrize("name", ["never_fetched_5", "greedy_5"])
def test_a_visitor_is_answered_beside_greedy_programs(tmp_path: Path, name: str) -> None:
    # The queue has more places than there are addresses, so one address holds several and has to give one up.
    settings = {"UNROLLED_RUNS": str(tmp_path), "UNROLLED_QUEUE": "12", "UNROLLED_DEADLINE": "60"}
    with serving("app.py", **settings) as server:
        beside = asyncio.run(flooded(server, name, FLOODS[name], tries=2, rest=0))
    assert beside.errors == []
    assert len(beside.page) == len(beside.program) == 2
    assert beside.posts["429"] > 0
    assert beside.figures()["program_max_s"] == max(beside.program)
    assert beside.peak >= beside.before

"""Many visitors at once for a moment; `python -m tests.benchmarks load` does it for minutes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.benchmarks.load import measure, shipped_examples
from tests.benchmarks.serving import serving

CLIENTS, SECONDS = 10, 3.0
SMALL = ("reverse-gru", "history-gru", "katakana-gru")


@pytest.mark.slow
def test_ten_visitors_meet_no_error(tmp_path: Path) -> None:
    examples = {name: texts for name, texts in shipped_examples().items() if name in SMALL}
    with serving("app.py", UNROLLED_RUNS=str(tmp_path)) as server:
        load = asyncio.run(measure(server, CLIENTS, SECONDS, examples))
    assert load.record.errors == []
    assert len(load.record.seconds) >= CLIENTS  # everybody was answered
    assert min(load.record.bytes) > 10_000  # with a result

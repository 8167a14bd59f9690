"""A thousand malformed requests, and the log afterwards."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from pathlib import Path

import pytest

from demo.api.endpoints import arguments_by_endpoint
from demo.page.interface import build_demo, launch_settings
from tests.fakes.calls import served
from tests.fakes.gradio_inside import paths_of
from tests.fakes.servers.raw_requests import RawRequests, status_of
from tests.fakes.training.form import training_context

pytestmark = pytest.mark.slow

COUNT, AT_ONCE = 1000, 8


def test_none_of_a_thousand_random_requests_leaves_a_traceback(
    shipped: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    demo = build_demo(training_context(shipped, tmp_path))
    paths = [path for path in paths_of(demo) if path]
    requests = RawRequests(15, paths, list(demo.fns), list(arguments_by_endpoint()))
    statuses: Counter[int | None] = Counter()

    async def ask(url: str) -> None:
        drawn = [requests.draw() for _ in range(COUNT)]
        for begin in range(0, COUNT, AT_ONCE):
            together = (status_of(url, request) for request in drawn[begin : begin + AT_ONCE])
            statuses.update(await asyncio.gather(*together))

    with caplog.at_level(logging.WARNING), served(demo, **launch_settings(uploads=True)) as url:
        asyncio.run(ask(url))
        assert asyncio.run(status_of(url, b"GET /config HTTP/1.1\r\nHost: localhost\r\n\r\n")) == 200
    captured = capfd.readouterr()
    for log in (captured.out, captured.err, caplog.text):
        assert "Traceback" not in log, log[log.index("Traceback") :][:3000]
    assert statuses.total() == COUNT
    assert statuses[200] > COUNT / 40  # some do get through
    assert statuses[404] > COUNT / 40
    assert statuses[422] > COUNT / 40

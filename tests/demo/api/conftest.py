"""The page over HTTP, as programs use it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from gradio_client import Client

from demo.page.interface import build_demo, launch_settings
from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.fakes.calls import served


@pytest.fixture(scope="module")
def url(shipped: Path) -> Iterator[str]:
    """The page over two small checkpoints, served as app.py serves it."""
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    with served(demo, **launch_settings(uploads=False)) as url:
        yield url


@pytest.fixture(scope="module")
def client(url: str) -> Client:
    return Client(url, verbose=False)


@pytest.fixture(autouse=True)
def _no_traceback(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test that leaves a traceback in the log of the server."""
    yield
    printed = "".join(capfd.readouterr())
    assert "Traceback" not in printed
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]

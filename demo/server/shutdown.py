"""Shutdown: running decodings answer with their best so far, then the process ends."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable
from threading import Timer

from demo.server.page import Page

CHECK_SECONDS = 0.1  # seconds between two checks
ENDING_SECONDS = 3.0  # time for decodings to end: mostly a step, at most a utility matrix
ANSWERING_SECONDS = 3.0  # time for their answers to reach their listeners, on a busy machine too
CLOSING_SECONDS = 1  # time for connections to close
MAX_SHUTDOWN_SECONDS = ENDING_SECONDS + ANSWERING_SECONDS + 3.0  # seconds after which the process is ended


def serve_until_stop_signal(page: Page, end_decodings: Callable[[float], object]) -> None:
    """Wait for SIGTERM or Ctrl+C, then let all decodings end and close the page. A second one ends at once.

    `end_decodings` takes seconds: see `Turns.close`.
    """
    signals: list[int] = []

    def ask(number: int, _: object) -> None:
        signals.append(number)
        for item in handled:
            signal.signal(item, signal.SIG_DFL)

    handled = (signal.SIGTERM, signal.SIGINT)
    for number in handled:
        signal.signal(number, ask)
    while not signals:  # no lock: the signal handler interrupts this thread
        time.sleep(CHECK_SECONDS)
    close(page, end_decodings)


def close(page: Page, end_decodings: Callable[[float], object]) -> None:
    """End all decodings, let their answers go out, and close the page."""
    last = Timer(MAX_SHUTDOWN_SECONDS, os._exit, (0,))  # the interpreter would wait for busy threads
    last.daemon = True
    last.start()
    end_decodings(ENDING_SECONDS)
    deadline = time.monotonic() + ANSWERING_SECONDS
    while (page.listeners.open or page.begun_work.followed) and time.monotonic() < deadline:
        time.sleep(CHECK_SECONDS)
    if page.server is not None:
        page.server.config.timeout_graceful_shutdown = CLOSING_SECONDS
        logging.getLogger("uvicorn.error").disabled = True  # it prints a traceback for each open connection
    page.close(verbose=False)

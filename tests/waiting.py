"""How tests wait for other threads and processes."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 600.0  # seconds after which a hang is a failure: no machine is so busy


def wait(condition: Callable[[], bool], meanwhile: Callable[[], object] = lambda: None) -> None:
    """Wait until a condition holds, however long that takes: the test's own timeout ends a hang."""
    while not condition():
        meanwhile()
        time.sleep(0.01)

"""How tests wait for what other threads and processes do."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait(true: Callable[[], bool], meanwhile: Callable[[], object] = lambda: None) -> None:
    """Until something is true. However slow the machine is: the test's own timeout ends a hang."""
    while not true():
        meanwhile()
        time.sleep(0.01)

"""Several visitors of the Decode tab at once, and one who leaves too early."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.decode_page import (
    REVERSE,
    choose_checkpoint,
    decode,
    hypotheses,
    results,
    source,
    wait_for_result,
)


@pytest.mark.full
def test_visitors_with_different_checkpoints_do_not_mix(visitors: Callable[[], Page]) -> None:
    first, second = visitors(), visitors()
    choose_checkpoint(second, REVERSE)
    alone = [decode(first, "casa"), decode(second, "casa")]
    for page in (first, second):  # now both at once
        source(page).fill("hola")
        source(page).press("Control+Enter")
    before = [results(first), results(second)]
    for page in (first, second):
        source(page).fill("casa")
        source(page).press("Control+Enter")
    for page, count in zip((first, second), before, strict=True):
        wait_for_result(page, count)
    assert "asac" in alone[1][0]
    assert "asac" not in alone[0][0]
    assert "asac" not in "".join(hypotheses(first))


@pytest.mark.full
def test_the_server_continues_after_a_page_closes_during_a_run(
    app_page: Page, visitors: Callable[[], Page], app_log: Path
) -> None:
    leaving = visitors()
    source(leaving).fill("me gustaría aprender a tocar la guitarra " * 10)
    source(leaving).press("Control+Enter")
    leaving.close()
    assert decode(app_page, "hola")
    assert "Traceback" not in app_log.read_text(encoding="utf-8", errors="replace")

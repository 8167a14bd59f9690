"""A window's complaints are the errors of the page, without those of a stream that the reader breaks off."""

from __future__ import annotations

import pytest

from tests.browser.windows import AFTER_IT, BROKEN_OFF, Window, Windows

CONNECTION, LATE_ANSWER = AFTER_IT


@pytest.mark.parametrize(
    ("messages", "counted"),
    [
        ([BROKEN_OFF, CONNECTION, CONNECTION, LATE_ANSWER, LATE_ANSWER], []),
        ([LATE_ANSWER], [LATE_ANSWER]),
        ([CONNECTION, BROKEN_OFF], [CONNECTION]),
        ([BROKEN_OFF, "another error", LATE_ANSWER], ["another error", LATE_ANSWER]),
    ],
)
def test_only_what_follows_a_broken_stream_is_not_a_complaint(
    windows: Windows, messages: list[str], counted: list[str]
) -> None:
    window: Window = windows.open()
    window.page.evaluate("messages => messages.forEach((message) => console.error(message))", messages)
    assert [text.removeprefix("console error: ").rsplit(" (")[0] for text in window.complaints] == counted
    windows.give_back(window, as_new=True)

"""A window complains about errors of its page, and the next test finds it as new."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.windows import AFTER_IT, BROKEN_OFF, VIEWPORT, BrokenStreams, Windows

CONNECTION, LATE_ANSWER = AFTER_IT
MEDIA_AND_STORAGE = """() => [localStorage.length, innerWidth, matchMedia("(prefers-reduced-motion)").matches,
  "unrolled-introduced" in localStorage, navigator.onLine]"""


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
    messages: list[str], counted: list[str]
) -> None:
    streams = BrokenStreams()
    assert [message for message in messages if streams.counts(message)] == counted


def test_errors_dialogs_and_foreign_requests_are_complaints(windows: Windows) -> None:
    window = windows.open()
    window.page.evaluate("() => { alert('hello'); console.log('fine'); console.error('a fault') }")
    window.page.evaluate("fetch('http://unrolled.example/').catch(() => setTimeout(() => { throw 'up' }))")
    window.page.wait_for_event("pageerror")
    parts = ("a dialog opened: hello", "console error: a fault", "request to another host", "page error: up")
    for part in parts:
        assert any(text.startswith(part) for text in window.complaints), part
    windows.give_back(window, as_new=True)


def test_a_used_window_is_opened_as_new(windows: Windows, app_url: str) -> None:
    window = windows.open(introduced=False, viewport={"width": 390, "height": 844})
    address = f"{app_url}theme.css"
    window.page.goto(address)
    window.page.evaluate("localStorage.setItem('mine', 1)")
    window.page.emulate_media(reduced_motion="reduce")
    window.page.on("dialog", lambda dialog: dialog.dismiss())
    window.page.route("**/*", lambda route: route.abort())
    window.context.set_offline(True)
    other = window.context.new_page()
    assert window.page.evaluate(MEDIA_AND_STORAGE) == [1, 390, True, False, False]
    windows.give_back(window, as_new=True)
    again = windows.open()
    assert again is window
    assert other.is_closed()
    again.page.goto(address)
    assert again.page.evaluate(MEDIA_AND_STORAGE) == [1, VIEWPORT["width"], False, True, True]
    again.page.evaluate("alert('hello')")
    assert again.complaints == ["a dialog opened: hello"]
    again.complaints.clear()
    windows.give_back(again, as_new=True)
    expect(again.page).to_have_url("about:blank")

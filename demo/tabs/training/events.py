"""Options of the Training tab's events: outside the queue, in it, or in the queue for reading data."""

from __future__ import annotations

from typing import Any

from demo.operator import work
from demo.server.queues import decoding

QUICK: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
# The queue reports errors; a call outside it would fail silently.
ACTION: dict[str, Any] = {
    "show_progress": "hidden",
    **work.RUNS.queue,
    "api_visibility": "private",
}
# Events with a run's id. Their handlers check it: Gradio knows only the lists of this session, and a page
# that was open before the server restarted belongs to no session.
RAW_QUICK, RAW_ACTION = {**QUICK, "preprocess": False}, {**ACTION, "preprocess": False}
# Events that read data; they alone show Gradio's progress. If a handler with visible progress raises, Gradio
# covers the widget with a bare "Error", so these handlers return the message as the value of a widget.
READING = decoding(show_progress="minimal", api_visibility="private")
WORKING: dict[str, Any] = {
    "show_progress": "hidden",
    **work.READING.queue,
    "api_visibility": "private",
}
TO_RUN = "document.getElementById('training-mode').scrollIntoView()"

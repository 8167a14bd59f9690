"""Options of the Training tab's events, by their queue."""

from __future__ import annotations

from typing import Any

from demo.server.events import PRIVATE, decoding
from demo.work.operator import caps

# The queue reports errors; a call outside it would fail silently.
RUN_EVENT: dict[str, Any] = {**PRIVATE, **caps.RUNS.queue}
# An event with a run's id. Its handler checks the id: Gradio knows only the lists of this session, and a page
# that was open before the server restarted belongs to no session.
RAW_RUN_EVENT: dict[str, Any] = {**RUN_EVENT, "preprocess": False}
# Events that read data; they alone show Gradio's progress. If a handler with visible progress raises, Gradio
# covers the widget with a bare "Error", so these handlers return the message as the value of a widget.
READING = decoding(show_progress="minimal", api_visibility="private")
FILE_EVENT: dict[str, Any] = {**PRIVATE, **caps.READING.queue}
TO_RUN = "document.getElementById('training-mode').scrollIntoView()"

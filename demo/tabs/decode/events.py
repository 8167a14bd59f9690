"""Options of the events of the Decode tab."""

from __future__ import annotations

from typing import Any

from demo.server.queues import decoding

# Answers in milliseconds, so it waits in no queue. The handler checks the values itself: Gradio's own checks
# would refuse a value without the handler's reason.
QUICK: dict[str, Any] = {"preprocess": False, "queue": False, "show_progress": "hidden"}
PRIVATE: dict[str, Any] = {**QUICK, "api_visibility": "private"}
# "multiple": what is asked for during a run takes its place, and a link's next edit waits for no answer.
DECODING = decoding(
    preprocess=False, show_progress="hidden", trigger_mode="multiple", api_visibility="private"
)

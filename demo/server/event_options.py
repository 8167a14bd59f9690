"""Options of Gradio's events, and the handlers that decode, which share one queue and a rate limit."""

from __future__ import annotations

from typing import Any

from demo.server.gradio_compat import BlockFunction
from demo.work.operator.work import DECODING

PRIVATE: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
# An event that is answered in milliseconds waits in no queue. A raw event's handler checks the values itself:
# Gradio's own checks would refuse a value without the handler's reason.
QUICK: dict[str, Any] = {**PRIVATE, "queue": False}
RAW_QUICK: dict[str, Any] = {**QUICK, "preprocess": False}
# An event that reads again after a request. Requests overlap, and Gradio's default drops the event of one
# that ends while an earlier answer is under way.
REFRESH: dict[str, Any] = {**QUICK, "trigger_mode": "always_last"}


def decoding(**options: Any) -> dict[str, Any]:
    """Gradio's options of an event whose handler decodes."""
    return {**DECODING.queue, **options}


# "multiple": a request during a run takes its place, and a link's next edit waits for no answer.
RAW_DECODING = decoding(**PRIVATE, preprocess=False, trigger_mode="multiple")


def is_decoding(function: BlockFunction) -> bool:
    """Whether a handler of the page decodes."""
    return function.concurrency_id == DECODING.name

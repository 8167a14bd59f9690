"""The handlers that decode, which share one queue and a rate limit."""

from __future__ import annotations

from typing import Any

from demo.operator.work import DECODING
from demo.server.gradio_compat import BlockFunction


def decoding(**options: Any) -> dict[str, Any]:
    """Gradio's options of an event whose handler decodes."""
    return {**DECODING.queue, **options}


def is_decoding(function: BlockFunction) -> bool:
    """Whether a handler of the page decodes."""
    return function.concurrency_id == DECODING.name

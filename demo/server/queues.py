"""Which handlers decode: they share one queue, and how often one visitor may ask for that is counted."""

from __future__ import annotations

from typing import Any

from demo.operator.work import DECODING
from demo.server.gradio_compat import BlockFunction


def decoding(**options: Any) -> dict[str, Any]:
    """Options of an event whose handler decodes, with others of Gradio's."""
    return {**DECODING.queue, **options}


def is_decoding(function: BlockFunction) -> bool:
    """Whether a handler of the page was given those options."""
    return function.concurrency_id == DECODING.name

"""Which handlers decode: they share one queue, and how often one visitor may ask for that is counted."""

from __future__ import annotations

from typing import Any

from demo.server.gradio_compat import BlockFunction

_DECODE = "decode"


def decoding(**options: Any) -> dict[str, Any]:
    """Options of an event whose handler decodes, with others of Gradio's."""
    return {"concurrency_id": _DECODE, **options}


def is_decoding(function: BlockFunction) -> bool:
    """Whether a handler of the page was given those options."""
    return function.concurrency_id == _DECODE

"""Prepares a trace from a visitor's file for drawing. The file may contain anything."""

from __future__ import annotations

import base64
import zlib
from threading import BoundedSemaphore

from demo.trace.payload import trace_payload
from demo.work.errors import failure_text
from demo.work.operator.caps import MAX_READING
from models.decoding.record.untrusted import read_untrusted
from models.decoding.record_json import TraceError
from models.sizes import size_text

MAX_TRACE_BYTES = 8 << 20  # the most bytes of a decompressed trace
GZIP = 16 + zlib.MAX_WBITS
_reading = BoundedSemaphore(MAX_READING)


def read_trace_file(content: object = None) -> dict[str, str]:
    """Return the `payload` for a `TraceView`, or a sentence as `problem`.

    `content` is UTF-8 text, compressed by gzip, in base64.
    """
    with _reading:
        try:
            return {"payload": trace_payload(read_untrusted(_unpack(content)))}
        except Exception as error:
            return {"problem": failure_text(error, "drawing a trace file")}


def _unpack(content: object) -> str:
    """Decode and decompress the text. Raises TraceError."""
    try:
        packed = base64.b64decode(str(content), validate=True)
        stream = zlib.decompressobj(GZIP)
        text = stream.decompress(packed, MAX_TRACE_BYTES + 1)
        if len(text) > MAX_TRACE_BYTES:
            raise TraceError(
                "trace_too_large",
                "This trace is larger than {limit}, which is the most that can be opened here.",
                limit=size_text(MAX_TRACE_BYTES),
            )
        return text.decode("utf-8-sig")
    except (zlib.error, UnicodeDecodeError, ValueError) as error:
        if isinstance(error, TraceError):
            raise
        raise TraceError(
            "trace_no_text", "This is not a trace: it is not text. Choose a JSON file."
        ) from error

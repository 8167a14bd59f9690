"""What whoever runs the server allows visitors, from environment variables. Knows no torch and no Gradio."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

TABS = ("decode", "compare", "checkpoints", "training")


class SettingsError(ValueError):
    """An environment variable that cannot be read; the message names it, what it may be, and what came."""


@dataclass(frozen=True)
class Whole:
    """A variable that holds a whole number.

    Below `low` the page's own presets would not fit; above `high` it would not stay responsive.
    """

    variable: str
    low: int
    high: int


NUMBERS = {
    "max_characters": Whole("UNROLLED_MAX_CHARACTERS", 100, 2_000),
    "max_beam_size": Whole("UNROLLED_MAX_BEAM_SIZE", 8, 32),
    "max_samples": Whole("UNROLLED_MAX_SAMPLES", 16, 200),
    "max_output_tokens": Whole("UNROLLED_MAX_OUTPUT_TOKENS", 20, 256),
    "deadline": Whole("UNROLLED_DEADLINE", 1, 60),
    "running": Whole("UNROLLED_RUNNING", 1, 64),
    "queue": Whole("UNROLLED_QUEUE", 1, 200),
    "rate": Whole("UNROLLED_RATE", 0, 6_000),
    "cache_bytes": Whole("UNROLLED_CACHE_BYTES", 64 << 20, 1 << 40),
    "upload_bytes": Whole("UNROLLED_UPLOAD_BYTES", 1 << 20, 100 << 20),
}


@dataclass(frozen=True)
class OperatorSettings:
    """The caps of one server."""

    tabs: tuple[str, ...] = TABS
    max_characters: int = 500  # of a source text
    max_beam_size: int = 16
    max_samples: int = 100
    max_output_tokens: int = 100
    deadline: int = 20  # seconds for one decoding, its turn awaited
    running: int = 2  # decodings that run at once
    queue: int = 32  # decodings that wait for their turn
    rate: int = 60  # decodings a minute for one session; 0 = any number
    cache_bytes: int = 1 << 30  # of weights in memory
    upload_bytes: int = 20 << 20  # of one file of training data

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> OperatorSettings:
        """UNROLLED_TABS and the variables of `NUMBERS`; one that is empty or absent keeps its default.

        Raises SettingsError, so that a typing error stops the server and does not lift a cap.
        """
        numbers = {name: _whole(environ, allowed, getattr(cls, name)) for name, allowed in NUMBERS.items()}
        return cls(tabs=_tabs(environ.get("UNROLLED_TABS", "")), **numbers)


def _tabs(text: str) -> tuple[str, ...]:
    asked = {name.strip().lower() for name in text.split(",")} - {""}
    unknown = sorted(asked - set(TABS))
    if unknown:
        raise SettingsError(f"UNROLLED_TABS must name some of {', '.join(TABS)}; got {unknown[0][:40]!r}")
    if "training" in asked and "compare" not in asked:
        raise SettingsError(
            "UNROLLED_TABS must name compare beside training, where a run is set against its start; "
            f"got {text.strip()[:60]!r}"
        )
    return tuple(name for name in TABS if name in asked or name == "decode") if asked else TABS


def _whole(environ: Mapping[str, str], allowed: Whole, default: int) -> int:
    text = environ.get(allowed.variable, "").strip().replace("_", "")
    if not text:
        return default
    is_number = text.isascii() and text.isdigit() and len(text) < 19
    if not is_number or not allowed.low <= int(text) <= allowed.high:
        raise SettingsError(
            f"{allowed.variable} must be a whole number from {allowed.low:,} to {allowed.high:,}; "
            f"got {text[:40]!r}"
        )
    return int(text)

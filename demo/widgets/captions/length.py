"""A warning for a source longer than those that a checkpoint was trained on."""

from __future__ import annotations

from demo.i18n import say


def length_note(tokens: int, usual: int | None) -> str:
    """A warning for a source of more tokens than `usual`, the 99th percentile in training; else empty."""
    if usual is None or tokens <= usual:
        return ""
    return say(
        "The source has {count} tokens; 99 of 100 that this model was trained on have at most {usual}. "
        "Expect it to do worse.",
        count=tokens,
        usual=usual,
    )

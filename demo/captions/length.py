"""What to expect of a source that is longer than those that a checkpoint was trained on."""

from __future__ import annotations

from demo.i18n import say


def length_note(tokens: int, usual: int | None) -> str:
    """A sentence for a source of so many tokens; empty if `usual`, that 99 of 100 do not exceed, is not."""
    if usual is None or tokens <= usual:
        return ""
    return say(
        "The source has {count} tokens; 99 of 100 that this model was trained on have at most {usual}. "
        "Expect it to do worse.",
        count=tokens,
        usual=usual,
    )

"""Names of attention heads, and the error for a network without any."""

from __future__ import annotations

from demo.answers.content import NotHereError
from demo.i18n import say


def head_name(layer: int, head: int) -> str:
    """The name of a head in links; both arguments from 0."""
    return f"{layer + 1}.{head + 1}"


def head_title(layer: int, head: int) -> str:
    """The name of a head for people; both arguments from 0."""
    return say("layer {layer}, head {head}", layer=layer + 1, head=head + 1)


def no_heads() -> NotHereError:
    """The error for a network without attention."""
    return NotHereError(
        "no_attention_heads", "This network has no attention, so it has no heads. Choose one that has."
    )

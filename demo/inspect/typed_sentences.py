"""Sentences that a reader types, in addition to the current one."""

from __future__ import annotations

from demo.i18n import say
from demo.inspect.inspected import Inspected


def typed_sentences(inspected: Inspected) -> list[str]:
    """Lines, each a source, or source, tab and output; none for a network that reads pictures."""
    if inspected.checkpoint.config.reads_pictures:
        return []
    label = say("your own sentences, one on each line (after a tab: the output)")
    return inspected.text_field("lines", label).splitlines()

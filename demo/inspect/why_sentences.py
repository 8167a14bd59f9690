"""What a token needs most of what the network read: a sentence about the losses by which it is explained."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from demo.i18n import quoted, say
from demo.i18n.display import number_text, small_percent_text


@dataclass(frozen=True)
class Needed:
    """The token of a row of the table without which most is lost."""

    label: str
    cost: float  # nats, more than 0


def most_needed(labels: Sequence[str], costs: Sequence[float]) -> Needed | None:
    """None if no loss costs anything."""
    cost, label = max(zip(costs, labels, strict=True), key=lambda item: item[0], default=(0.0, ""))
    return Needed(label, cost) if cost > 0 else None


def why_sentence(token: str, value: float, read: Needed | None, written: Needed | None) -> str:
    """What is left of a probability without the token of the source that it needs most.

    value: its logarithm, nats. What was written before is named if it costs even more.
    """
    percent = small_percent_text(math.exp(value))

    def without(needed: Needed) -> str:
        return small_percent_text(math.exp(min(0.0, value - needed.cost)))

    if read is None or without(read) == percent:
        told = say(
            "{token} has {percent}, and needs no single token of the source.",
            token=quoted(token),
            percent=percent,
        )
    else:
        told = say(
            "{token} has {percent}. Of the source it needs {word} most: without it {left}.",
            token=quoted(token),
            percent=percent,
            word=quoted(read.label),
            left=without(read),
        )
    if written is None or written.cost <= (read.cost if read else 0.0) or without(written) == percent:
        return told
    more = say(
        "Of what was written before it needs {word} even more: without it {left}.",
        word=quoted(written.label),
        left=without(written),
    )
    return f"{told} {more}"


def rival_sentence(token: str, rival: str, margin: float, read: Needed | None) -> str:
    """By how much a token beats another one, in nats, and by how much without what it needs most."""
    if read is None:
        return ""
    return say(
        "{token} beats {rival} by {margin} nats; without {word} by {left}.",
        token=quoted(token),
        rival=quoted(rival),
        margin=number_text(margin),
        word=quoted(read.label),
        left=number_text(margin - read.cost),
    )

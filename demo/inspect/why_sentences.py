"""Sentences about the token that a prediction needs most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from demo.i18n import quoted, say
from demo.i18n.display import number_text, small_percent_text


class Needed(NamedTuple):
    """The token whose removal costs most."""

    label: str
    cost: float  # nats, more than 0


def most_needed(labels: Sequence[str], costs: Sequence[float]) -> Needed | None:
    """The label with the highest cost; None if no cost is positive."""
    cost, label = max(zip(costs, labels, strict=True), key=lambda item: item[0], default=(0.0, ""))
    return Needed(label, cost) if cost > 0 else None


def why_sentence(token: str, value: float, in_source: Needed | None, in_prefix: Needed | None) -> str:
    """How far the probability of a token falls without the source token that it needs most.

    value: its log-probability, nats. A token of the prefix is named too if it costs even more.
    """
    percent = small_percent_text(math.exp(value))

    def without(needed: Needed) -> str:
        return small_percent_text(math.exp(min(0.0, value - needed.cost)))

    if in_source is None or without(in_source) == percent:
        sentence = say(
            "{token} has {percent} and depends on no single token of the source.",
            token=quoted(token),
            percent=percent,
        )
    else:
        sentence = say(
            "{token} has {percent}. In the source it depends most on {word}: without it {left}.",
            token=quoted(token),
            percent=percent,
            word=quoted(in_source.label),
            left=without(in_source),
        )
    if (
        in_prefix is None
        or in_prefix.cost <= (in_source.cost if in_source else 0.0)
        or without(in_prefix) == percent
    ):
        return sentence
    more = say(
        "In the output so far it depends even more on {word}: without it {left}.",
        word=quoted(in_prefix.label),
        left=without(in_prefix),
    )
    return f"{sentence} {more}"


def rival_sentence(token: str, rival: str, margin: float, in_source: Needed | None) -> str:
    """The margin of a token over another, in nats, and the margin without the token that it needs most."""
    if in_source is None:
        return ""
    return say(
        "{token} beats {rival} by {margin} nats; without {word} by {left}.",
        token=quoted(token),
        rival=quoted(rival),
        margin=number_text(margin),
        word=quoted(in_source.label),
        left=number_text(margin - in_source.cost),
    )

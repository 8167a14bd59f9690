"""A link to the Learn tab: one lab, and what is chosen in it."""

from __future__ import annotations

from demo.links import Link
from demo.links.parameters import LEARN
from demo.links.wiring import LinkAnswer, LinkTarget


def learn_target() -> LinkTarget:
    """The target of a link. It fills in nothing: the labs read the link when the tab is chosen."""

    def answer(link: Link | None) -> LinkAnswer:
        if link is None:
            return LinkAnswer([])
        values = {name: link.check(name, check) for name, check in LEARN.items()}
        return LinkAnswer([], view={name: value for name, value in values.items() if value is not None})

    return LinkTarget("learn", [], answer)

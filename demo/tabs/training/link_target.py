"""A link to the Training tab."""

from __future__ import annotations

from demo.links.wiring import LinkAnswer, LinkTarget


def training_target() -> LinkTarget:
    """The tab alone: a run is shown by its secret, which is no part of these links."""
    return LinkTarget("training", [], lambda link: LinkAnswer([]))

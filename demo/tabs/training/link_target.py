"""A link to the Training tab."""

from __future__ import annotations

from demo.links.wiring import LinkAnswer, LinkTarget


def training_target() -> LinkTarget:
    """The tab alone, since only a run's secret id could name a run."""
    return LinkTarget("training", [], lambda link: LinkAnswer([]))

"""The description of a view of Inspect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from demo.answers.content import Content

if TYPE_CHECKING:
    from demo.inspect.inspected import Inspected
    from models.networks.config import NetworkConfig


@dataclass(frozen=True)
class InspectView:
    """One way to look into a network; its tab, its part in `hide=` and its place in links follow."""

    name: str  # in links and in `hide=`
    title: str  # on its tab; marked by `in_page`
    question: str  # that it answers, in one plain sentence; marked by `later`
    position: int  # the smaller, the further ahead among the tabs
    # Raises NotHereError, or what the library says of a network that cannot be asked.
    look: Callable[[Inspected], Content]
    paper: str = field(default="", kw_only=True)
    # Whether it applies to a network; where it does not, others are offered. None: to every network.
    fits: Callable[[NetworkConfig], bool] | None = field(default=None, kw_only=True)
    for_lessons: bool = field(default=False, kw_only=True)  # its tab appears when a lesson or a link opens it

"""The description of a view of Inspect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from demo.widgets.answers.content import Content

if TYPE_CHECKING:
    from demo.inspect.inspected import Inspected
    from models.networks.config import NetworkConfig


@dataclass(frozen=True)
class InspectView:
    """A view of Inspect; its tab, its part in `hide=` and its name in links follow from it."""

    name: str  # its name in links and in `hide=`
    title: str  # the title of its tab; marked by `in_page`
    question: str  # the question that it answers, one plain sentence; marked by `later`
    position: int  # the smaller, the further ahead among the tabs
    # Raises NotHereError, or an error of the library if the view does not apply to the network.
    compute: Callable[[Inspected], Content]
    paper: str = field(default="", kw_only=True)
    # Whether it applies to a network; None = to every network. Where not, the page offers other checkpoints.
    fits: Callable[[NetworkConfig], bool] | None = field(default=None, kw_only=True)
    for_lessons: bool = field(default=False, kw_only=True)  # its tab appears when a lesson or a link opens it

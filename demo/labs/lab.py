"""What a lab says of itself, once. It is answered like a view of Inspect, without a network or an output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from demo.inspect.controls import Chosen
from demo.inspect.view import Shown


@dataclass(frozen=True)
class Lab:
    """One small experiment on the reader's own text or numbers."""

    name: str  # in links
    title: str  # marked by `in_page`
    question: str  # that it answers, in one plain sentence; marked by `in_page`
    place: int  # the smaller, the further ahead in the list
    # Declares its controls, then computes. Raises NotHereError for input that it can make nothing of.
    look: Callable[[Chosen], Shown]

"""The declaration of a lab. It is answered like a view of Inspect, without a network or an output."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from demo.widgets.answers.content import Content
from demo.widgets.answers.controls import Controls
from models.labs.progress import Progress


@dataclass(frozen=True)
class LabTraining:
    """The training that a lab runs while its reader watches.

    It runs in its own thread, so it changes no shared state; its generators are seeded and its
    own. `compute` finds what was learnt so far by `controls.trained(settings)`.
    """

    # Declares the controls of the training, and no others, and returns their values as a frozen record.
    # `compute` calls it too. It may raise NotHereError; None where there is nothing to train.
    settings: Callable[[Controls], Hashable]
    # Of those settings: steps of at most about 20 ms each, the first within a second, 20 s in all on one
    # core. Raises NotHereError with a sentence where it cannot go on.
    run: Callable[[Any], Iterator[Progress[Any]]]


@dataclass(frozen=True)
class Lab:
    """One small experiment on the reader's own text or numbers."""

    name: str  # its name in links
    title: str  # marked by `later`
    question: str  # the question that it answers, one plain sentence; marked by `later`
    position: int  # its position in the list, the smallest first
    # Declares its controls, then computes. Raises NotHereError for unusable input.
    compute: Callable[[Controls], Content]
    training: LabTraining | None = None  # training, if the lab has a button for it

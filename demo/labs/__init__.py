"""Labs of the course, a file or a folder each: the app offers every `LAB` that they hold.

A lab is answered like a view of Inspect, without a network or an output.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from demo.i18n import say
from demo.widgets.answers.content import Content, Controls, as_sent, controls_as_sent
from demo.work.errors import sentence
from models.discovery import discover
from models.errors import UnrolledError
from models.labs.training import Progress


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


def lab_answer(lab: Lab, controls: Controls) -> dict[str, Any]:
    """Return the content of a lab as JSON for the script that draws it, with its controls.

    Where there is no content, `refused` is a sentence that says why.
    """
    try:
        return as_sent(lab.compute(controls), controls.controls)
    except UnrolledError as error:
        return {"controls": controls_as_sent(controls.controls), "refused": sentence(error)}


def own_text(controls: Controls) -> str:
    """Return the text that the reader has typed; "" stands for the novel."""
    return controls.text_field("text", say("your own text (empty: the novel)"), "").strip()


@cache
def labs() -> tuple[Lab, ...]:
    """Return all of them by position."""
    return tuple(sorted(discover(__name__, Lab), key=lambda lab: lab.position))

"""A lab after its training, or some steps of it, without threads."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any

from demo.answers.content import Content
from demo.answers.controls import Controls
from demo.labs import labs


def result_of(name: str, steps: int | None = None, **options: Any) -> object:
    """Return a lab's result after `steps` steps of its training, by default all; None before the first."""
    trains = next(lab.trains for lab in labs() if lab.name == name)
    assert trains is not None
    settings = trains.settings(Controls(options=options))
    if settings is None:
        return None
    progress = deque(islice(trains.run(settings), steps), maxlen=1)
    return progress[0].result() if progress else None


def trained(name: str, steps: int | None = None, **options: Any) -> Content:
    """Return the lab's content at that point. Raises NotHereError as the lab does."""
    lab = next(lab for lab in labs() if lab.name == name)
    result = result_of(name, steps, **options) if lab.trains is not None else None
    return lab.compute(Controls(options=options, trained=lambda _: result))

"""A lab after its training, or some steps of it, without threads."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any

from demo.answers.content import Content
from demo.answers.controls import Controls
from demo.labs import labs


def learnt(name: str, steps: int | None = None, **options: Any) -> object:
    """What a lab has learnt after so many steps, all of them unless that is told; None before the first."""
    trains = next(lab.trains for lab in labs() if lab.name == name)
    assert trains is not None
    settings = trains.settings(Controls(options=options))
    if settings is None:
        return None
    taken = deque(islice(trains.run(settings), steps), maxlen=1)
    return taken[0].result() if taken else None


def trained(name: str, steps: int | None = None, **options: Any) -> Content:
    """What it shows then. Raises NotHereError as the lab does."""
    lab = next(lab for lab in labs() if lab.name == name)
    result = learnt(name, steps, **options) if lab.trains is not None else None
    return lab.look(Controls(options=options, trained=lambda _: result))

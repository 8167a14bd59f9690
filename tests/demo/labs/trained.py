"""A lab after its training, or some steps of it, without threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping
from itertools import islice
from typing import Any

from demo.labs import Lab, labs
from demo.widgets.answers.content import Content, Controls, Networks

NO_NETWORKS = Networks()


def lab_of(name: str) -> Lab:
    return next(lab for lab in labs() if lab.name == name)


def result_of(name: str, steps: int | None = None, **options: Any) -> object:
    """Return a lab's result after `steps` steps of its training, by default all; None before the first."""
    trains = lab_of(name).training
    assert trains is not None
    settings = trains.settings(Controls(options=options))
    if settings is None:
        return None
    progress = deque(islice(trains.run(settings), steps), maxlen=1)
    return progress[0].result() if progress else None


def trained(name: str, steps: int | None = None, **options: Any) -> Content:
    """Return the lab's content at that point. Raises NotHereError as the lab does."""
    return answer_of(name, options, steps)[0]


def answer_of(
    name: str, options: Mapping[str, Any], steps: int | None = None, networks: Networks = NO_NETWORKS
) -> tuple[Content, Controls]:
    """Return the lab's content at that point and its controls. Raises NotHereError as the lab does."""
    result = result_of(name, steps, **options) if lab_of(name).training is not None else None

    def snapshot(settings: Hashable) -> object:
        return result

    controls = Controls(options=options, trained=snapshot, networks=networks)
    return lab_of(name).compute(controls), controls

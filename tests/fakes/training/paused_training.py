"""A lab whose training takes a step only when a test allows it."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Semaphore

from demo.i18n import later
from demo.labs import Lab, LabTraining
from demo.widgets.answers.content import Chart, Content, Controls, NotHereError
from demo.widgets.figures.figure import LIGHT, Figure
from models.labs.training import Progress
from tests.waiting import PATIENCE

STEPS = 4
FAILING = 3.0  # the speed of a training whose second step fails


class PausedTraining:
    """A training that learns the numbers of its steps and waits for `let` before each."""

    def __init__(self) -> None:
        self._permits = Semaphore(0)
        self.ended = 0  # trainings that were stopped or have finished

    def let(self, steps: int) -> None:
        """Allow that many more steps."""
        self._permits.release(steps)

    def run(self, speed: float) -> Iterator[Progress[tuple[int, ...]]]:
        """Train; see `LabTraining.run`."""
        try:
            for step in range(STEPS):
                assert self._permits.acquire(timeout=PATIENCE)
                if speed == FAILING and step:
                    raise NotHereError(later("The loss is no number any more."))
                yield Progress((step + 1) / STEPS, lambda done=step + 1: tuple(range(done)))  # type: ignore[misc]
        finally:
            self.ended += 1

    def lab(self) -> Lab:
        """Return a lab that draws the numbers learnt so far; `colour` does not affect the training."""

        def settings(values: Controls) -> float:
            return values.number("speed", "speed", 1, 3, 1, 1)

        def compute(values: Controls) -> Content:
            speed = settings(values)
            values.choose("colour", "colour", [("red", "red"), ("blue", "blue")])
            learned = values.trained(speed) or ()
            curve = {"type": "scatter", "x": list(learned), "y": list(learned)}
            axis = {"tickfont": {"color": LIGHT.muted}}
            size = {"height": 200, "meta": {"min_width": 200}}
            layout = {**size, "xaxis": axis, "yaxis": axis}
            return Content(
                [f"{len(learned)} steps at speed {speed:g}."],
                [Chart("curve", "Curve", Figure([curve], layout))],
            )

        return Lab("held", "Held", "How many steps?", 5, compute, LabTraining(settings, self.run))


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

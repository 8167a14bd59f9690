"""A lab whose training takes the steps that a test lets it take, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Semaphore

from demo.answers.content import Chart, NotHereError, Shown
from demo.answers.controls import Chosen
from demo.figures.figure import Figure
from demo.figures.palette import LIGHT
from demo.i18n import later
from demo.labs.lab import Lab, Trains
from models.labs.progress import Progress

STEPS = 4
FAILING = 3.0  # the speed of a training whose second step fails


class HeldTraining:
    """Learns the numbers of its steps, one for each that `let` allows."""

    def __init__(self) -> None:
        self._permits = Semaphore(0)
        self.ended = 0  # trainings whose steps were given up or came to their end

    def let(self, steps: int) -> None:
        """Allow so many more steps."""
        self._permits.release(steps)

    def run(self, speed: float) -> Iterator[Progress[tuple[int, ...]]]:
        """As `Trains.run` of a lab with one setting."""
        try:
            for step in range(STEPS):
                assert self._permits.acquire(timeout=60)
                if speed == FAILING and step:
                    raise NotHereError(later("The loss is no number any more."))
                yield Progress((step + 1) / STEPS, lambda done=step + 1: tuple(range(done)))  # type: ignore[misc]
        finally:
            self.ended += 1

    def lab(self) -> Lab:
        """A lab that draws what was learnt; `colour` has nothing to do with the training."""

        def settings(chosen: Chosen) -> float:
            return chosen.number("speed", "speed", 1, 3, 1, 1)

        def look(chosen: Chosen) -> Shown:
            speed = settings(chosen)
            chosen.choose("colour", "colour", [("red", "red"), ("blue", "blue")])
            learnt = chosen.learnt(speed) or ()
            curve = {"type": "scatter", "x": list(learnt), "y": list(learnt)}
            axis = {"tickfont": {"color": LIGHT.muted}}
            size = {"height": 200, "meta": {"min_width": 200}}
            layout = {**size, "xaxis": axis, "yaxis": axis}
            return Shown(
                [f"{len(learnt)} steps at speed {speed:g}."],
                [Chart("curve", "Curve", Figure([curve], layout))],
            )

        return Lab("held", "Held", "How many steps?", 5, look, Trains(settings, self.run))


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

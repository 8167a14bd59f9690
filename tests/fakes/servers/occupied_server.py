"""A server without a free turn."""

from __future__ import annotations

from threading import Event, Thread

from demo.work.turns import Turns
from demo.work.watch import Watch


class Occupied:
    """Holds turns of the processor until `free`."""

    def __init__(self, turns: Turns, by: int) -> None:
        self._go, began = Event(), [Event() for _ in range(by)]

        def hold(one: Event) -> None:
            with turns.turn(Watch()):
                one.set()
                self._go.wait()

        self._threads = [Thread(target=hold, args=(one,), daemon=True) for one in began]
        for thread, one in zip(self._threads, began, strict=True):
            thread.start()
            one.wait()

    def free(self) -> None:
        self._go.set()
        for thread in self._threads:
            thread.join()

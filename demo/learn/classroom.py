"""Classes that predict together: the predictions of each step, in the memory of this process alone.

Pupils are anonymous: a pupil is a random word of their browser, so that a second prediction replaces the
first. Only the browser that opened a class has its key, which reveals answers; it keeps the key in all its
tabs. A class ends after some hours.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from demo.work.requests.checks import RequestError

MAX_CLASSES = 100
MAX_PUPILS = 60
CLASS_SECONDS = 4 * 3600.0  # duration of a class
PRESENT_SECONDS = 15.0  # a pupil without a request for this long has left
CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # without 0, 1, I, L and O, which are easily confused
CODE_LENGTH = 6  # short enough to type from a blackboard; 887 million codes are too many to guess


@dataclass
class Classroom:
    """A class."""

    id: str  # a code that pupils can type
    key: str
    lesson: str
    until: float  # its end, by the clock
    led: float  # the clock's time of the teacher's last request
    step: int = 1  # the teacher's step, from 1
    last_requests: dict[str, float] = field(default_factory=dict)  # each pupil's, by the clock
    guesses: dict[int, dict[str, Any]] = field(default_factory=dict)  # guesses by step, then by pupil
    revealed: set[int] = field(default_factory=set)  # steps


class Classrooms:
    """All classes of this process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._classes: dict[str, Classroom] = {}  # the order of opening
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._classes)

    def open(self, lesson: str, step: int = 1) -> Classroom:
        """Open a class at the teacher's step. Raises RequestError if there are too many."""
        with self._lock:
            self._forget()
            if len(self._classes) >= MAX_CLASSES:
                self._forget_an_empty_one()
            if len(self._classes) >= MAX_CLASSES:
                raise RequestError(
                    "too_many_classes",
                    "This server has {count} classes, the maximum. Try again later.",
                    count=MAX_CLASSES,
                )
            now = self._clock()
            code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
            classroom = Classroom(
                code, secrets.token_urlsafe(18), lesson, until=now + CLASS_SECONDS, led=now, step=step
            )
            self._classes[classroom.id] = classroom
            return classroom

    def predict(self, name: str, pupil: str, step: int, guess: Any) -> None:
        """Record a pupil's prediction; a second one replaces the first.

        Raises RequestError if the class is over or full, or the step was revealed.
        """
        with self._lock:
            result = self._of(name)
            self._see(result, pupil)
            if step in result.revealed:
                raise RequestError(
                    "prediction_too_late", "This step was revealed before your prediction came in."
                )
            result.guesses.setdefault(step, {})[pupil] = guess

    def lead(self, name: str, key: str, step: int, *, reveal: bool) -> None:
        """Move the class to `step`, and reveal its answer if wanted. Raises RequestError for another key."""
        with self._lock:
            result = self._led_by(name, key)
            result.step, result.led = step, self._clock()
            if reveal:
                result.revealed.add(step)

    def led_by(self, name: str, key: str) -> Classroom:
        """Return a class to its teacher, with copied predictions. Raises RequestError for another key."""
        with self._lock:
            result = self._led_by(name, key)
            return replace(result, guesses={step: dict(item) for step, item in result.guesses.items()})

    def find(self, name: str, pupil: str = "", key: str = "") -> tuple[Classroom, int, bool]:
        """Return a class, the number of pupils present, and whether the key is the teacher's.

        Raises RequestError if the class is over or full.
        """
        with self._lock:
            result = self._of(name)
            if pupil:
                self._see(result, pupil)
            now = self._clock()
            leads = hmac.compare_digest(result.key.encode(), key.encode())
            if leads:
                result.led = now
            present_count = sum(now - last < PRESENT_SECONDS for last in result.last_requests.values())
            return result, present_count, leads

    def _led_by(self, name: str, key: str) -> Classroom:
        result = self._of(name)
        if not hmac.compare_digest(result.key.encode(), key.encode()):
            raise RequestError(
                "class_of_another_teacher", "Only the browser that opened the class can lead it."
            )
        return result

    def _of(self, name: str) -> Classroom:
        self._forget()
        name = name.strip().upper()  # pupils type codes in small letters, or with a blank behind
        if name not in self._classes:
            raise RequestError(
                "class_over",
                "This class is over, or was opened on another server. Ask your teacher for a new link.",
            )
        return self._classes[name]

    def _see(self, classroom: Classroom, pupil: str) -> None:
        if pupil not in classroom.last_requests and len(classroom.last_requests) >= MAX_PUPILS:
            now = self._clock()
            gone = min(classroom.last_requests, key=lambda item: classroom.last_requests[item])
            if now - classroom.last_requests[gone] < PRESENT_SECONDS:
                raise RequestError(
                    "class_full", "This class is full: it has {count} pupils, the maximum.", count=MAX_PUPILS
                )
            del classroom.last_requests[gone]
            for guesses in classroom.guesses.values():
                guesses.pop(gone, None)
        classroom.last_requests[pupil] = self._clock()

    def _forget_an_empty_one(self) -> None:
        """Drop the oldest class that its teacher and all pupils have left, if there is one."""
        since = self._clock() - PRESENT_SECONDS
        for name, result in self._classes.items():
            if max([result.led, *result.last_requests.values()]) < since:
                del self._classes[name]
                return

    def _forget(self) -> None:
        """Drop classes whose time is over."""
        now = self._clock()
        self._classes = {name: room for name, room in self._classes.items() if room.until > now}

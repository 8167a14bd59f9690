"""Addresses that name a lesson: `?lesson=bottleneck&step=3` stands for the state that this step opens.

`?lesson=bottleneck:3&tab=decode&text=hola` is the step with a state that the reader has changed.
`?class=K7QF3M` is short enough to type: it names the lesson of that class, at its teacher's step.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl

from demo.i18n import message_text, say
from demo.learn.classroom import Classrooms
from demo.learn.lessons import lesson_called, lessons
from demo.work.requests.checks import RequestError
from models.errors import brief

KEPT_PARAMETERS = ("hide",)  # parameters of an address that hold beside those of a state
TESTS = ("pretest", "posttest")  # the tests around the course, which the dock shows as it shows a lesson
CLASS = re.compile(r"[\w-]{1,40}")
Items = Sequence[tuple[str, str]]


def opened_lesson(classes: Classrooms, items: Items) -> tuple[dict[str, Any] | None, Items, list[str]]:
    """Return an address's lesson and step, the state that this step opens, and the address's faults.

    An address without a lesson is returned unchanged.
    """
    named = dict(reversed(list(items)))
    others = [(name, value) for name, value in items if name in KEPT_PARAMETERS or name.startswith("__")]
    if "class" in named and "lesson" not in named:
        try:
            joined, *_ = classes.find(named["class"])
        except RequestError as error:
            return None, [("tab", "learn"), *others], [message_text(error)]
        named |= {"lesson": joined.lesson, "step": str(joined.step), "class": joined.id}
    if "lesson" not in named:
        return None, items, []
    name, is_changed, changed_at = named["lesson"].partition(":")
    if name in TESTS:
        return {"lesson": name, "step": 1}, [("tab", "learn"), *others], []
    lesson = lesson_called(name)
    if lesson is None:
        names = [lesson.id for lesson in lessons()]
        close = difflib.get_close_matches(name[:40], names, n=1)
        name_given = brief(name)
        message = (
            say("There is no lesson {value}; did you mean {close}?", value=name_given, close=close[0])
            if close
            else say("There is no lesson {value}. The Learn tab lists them all.", value=name_given)
        )
        return None, [("tab", "learn"), *others], [message]
    digits = changed_at if is_changed else named.get("step", "")
    number = int(digits) if re.fullmatch(r"\d{1,3}", digits) else 1
    number = min(max(number, 1), len(lesson.steps))
    opened: dict[str, Any] = {"lesson": lesson.id, "step": number}
    if CLASS.fullmatch(named.get("class", "")):
        opened["class"] = named["class"]
    if is_changed:
        return opened, [(name, value) for name, value in items if name not in ("lesson", "class")], []
    state = parse_qsl(lesson.steps[number - 1].state, keep_blank_values=True)
    return opened, [*state, *others], []

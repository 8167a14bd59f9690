"""The lessons of the folder. What the server would answer is computed here, and written to files."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any
from urllib.parse import parse_qsl

from demo.i18n import say
from demo.labs import lab_answer
from demo.learn.lessons import lessons, questions
from demo.learn.lessons.answers import on_lesson, on_paired, on_quiz, on_recap, on_reveal, on_step
from demo.learn.lessons.lesson import Lesson, LessonStep
from demo.learn.lessons.states import States, chosen_in
from demo.learn.views import on_course, question
from demo.static.answers import LABS
from demo.static.site.page import ABSENT_CARDS
from demo.trace.payload import trace_content
from demo.widgets.answers.content import Controls
from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from demo.work.watch import Watch
from models.decoding.trace import DecodingTrace

DECODE, LEARN = "decode", "learn"
TABS = (DECODE, "compare", LEARN)  # a lesson may open their states
MODE = "strategies"  # the only mode of Compare
TESTS = ("before", "after")  # the tests around the course
COMMAND = "make demo"
Files = Iterator[tuple[str, Any]]


class _Unhurried(AppContext):
    """Decodes without the server's deadline, since a folder may be written on a busy machine."""

    def decode(
        self, request: DecodeRequest, watch: Watch | None = None, *, also_others: bool = True
    ) -> DecodingTrace:
        """Decode a request as the server does, however long it takes."""
        return super().decode(request, watch or Watch(seconds=inf), also_others=also_others)


@dataclass(frozen=True)
class Course:
    """The lessons that a folder with some checkpoints can show, and their answers."""

    context: AppContext  # has the checkpoints of the folder

    @cached_property
    def states(self) -> States:
        """The states that links of the lessons open."""
        return States(_Unhurried(self.context.registry))

    def files(self) -> Files:
        """Yield the path below `lessons/CODE` and the content of each file, in the request's language."""
        included = [lesson for lesson in lessons() if all(map(self._is_open, lesson.steps))]
        yield "course.json", self._map(included)
        yield "labs.json", {"labs": _labs()}
        for name, lab in LABS.items():
            yield f"lab-{name}.json", lab_answer(lab, Controls())
        for which in TESTS:
            yield f"{which}.json", on_paired({"which": which})
        for lesson in (*included, questions()):
            for name, content in self._lesson_files(lesson, [other.id for other in included]):
                yield f"{lesson.id}/{name}.json", content

    def _is_open(self, step: LessonStep) -> bool:
        return is_open(step, self.context.registry.names())

    def _map(self, included: Collection[Lesson]) -> dict[str, Any]:
        """The course as its map shows it, and the lessons that need the server, by chapter."""
        ids = {lesson.id for lesson in included}
        course = on_course(None)
        opened = [self._is_open(step) for step in questions().steps]
        return {
            "lines": [line for line in course["lines"] if line["id"] in ids],
            "questions": [
                text if is_open else "" for text, is_open in zip(course["questions"], opened, strict=True)
            ],
            "absent": [line for line in course["lines"] if line["id"] not in ids],
            "needs": needs_app(),
        }

    def _lesson_files(self, lesson: Lesson, included: Collection[str]) -> Files:
        sent = on_lesson({"lesson": lesson.id})
        kit = sent["kit"]
        if kit and kit["recall"] and kit["recall"]["lesson"] not in included:
            kit["recall"] = None
        steps: list[dict[str, Any]] = []
        traces = []  # the numbers of the steps whose trace is stored
        for number, step in enumerate(lesson.steps, 1):
            request = {"lesson": lesson.id, "step": number}
            if not self._is_open(step):
                sent["steps"][number - 1] = _absent_step(step)
                steps.append({})
                continue
            steps.append(on_step(self.states, request) if sent["steps"][number - 1]["asks"] else {})
            trace = self._trace(step)
            if trace:
                traces.append(number)
                yield f"trace-{number}", trace_content(trace, self.context.label)
            if lab_of(step):
                name, options = chosen_in(_values(step)["lab"])
                yield f"lab-{number}", lab_answer(LABS[name], Controls(options=options))
            if step.prediction:
                lines = on_recap(self.states, {"lesson": lesson.id, "names": [step.name]})["lines"]
                yield f"answer-{number}", {"reveal": on_reveal(self.states, request), "lines": lines}
        yield "lesson", {"lesson": sent, "steps": steps, "traces": traces}
        if lesson.id in included:
            yield "quiz", on_quiz(self.states, {"lesson": lesson.id})

    def _trace(self, step: LessonStep) -> DecodingTrace | None:
        """The decoding that a step shows first, so that it is there before the engine has loaded."""
        if not step.state or tab_of(step) != DECODE:
            return None
        trace = self.states.state_of(step.state).traces[0]
        return None if trace.forced else trace  # the page decodes an edit after the decoding without it


def _labs() -> list[list[Any]]:
    """The labs as their list shows them; the last value says that they have no program."""
    ordered = sorted(LABS.values(), key=lambda lab: lab.position)
    return [[lab.name, say(lab.title), say(lab.question), False] for lab in ordered]


def _values(step: LessonStep) -> dict[str, str]:
    return dict(parse_qsl(step.state))


def tab_of(step: LessonStep) -> str:
    """The tab that the state of a step opens."""
    return _values(step).get("tab", DECODE)


def lab_of(step: LessonStep) -> str:
    """The name of the lab that the state of a step opens, empty if it opens none."""
    return _values(step).get("lab", "").split(",")[0]


def is_open(step: LessonStep, checkpoints: Collection[str]) -> bool:
    """Whether the folder can open a step's state and has the part that the step looks at."""
    values = _values(step)
    named = {values[name] for name in ("checkpoint", "other_checkpoint") if name in values}
    return (
        tab_of(step) in TABS
        and (tab_of(step) != LEARN or lab_of(step) in LABS)
        and values.get("mode", MODE) == MODE
        and "inspect" not in values
        and ABSENT_CARDS.isdisjoint({step.page_part, *values.get("open", "").split(",")})
        and named <= {*checkpoints}
    )


def needs_app() -> str:
    """The sentence about what only the server can show."""
    return say(
        "This needs the app, which runs on your own computer: {command} in a copy of the project starts it.",
        command=COMMAND,
    )


def _absent_step(step: LessonStep) -> dict[str, Any]:
    """A step whose state the folder cannot open."""
    text = f"{question(step)} {needs_app()}"
    return {"name": step.name, "text": text, "opens": False, "state": "", "done": "", "asks": False}

"""`python -m tests.benchmarks class`: a class of 60 on one server, from first prediction to last reveal.

Each pupil polls the class every two seconds, predicts in every step, and requests the answer when the teacher
reveals it, all at the same time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import time
from collections.abc import Sequence
from typing import Any

import httpx

from demo.learn.classroom import MAX_PUPILS
from demo.learn.lessons import lesson_called
from tests.benchmarks.serving import serving

LESSON = "greedy"
ASK_SECONDS = 2.0  # interval of demo/learn/dock/lazy/class/classroom.js
STEP_SECONDS = 8.0  # from a question to its reveal


class Browser:
    """A browser that calls the server functions of the lesson and measures the time of each answer."""

    def __init__(self, http: httpx.AsyncClient, dock: int, seconds: list[float], errors: list[str]) -> None:
        self._http, self._dock = http, dock
        self._session = f"{random.getrandbits(48):x}"
        self.pupil = f"{random.getrandbits(64):x}"
        self._seconds, self._errors = seconds, errors

    async def ask(self, name: str, **data: Any) -> dict[str, Any]:
        """Call a function and return its answer; a refusal counts as an error."""
        body = {"data": data, "component_id": self._dock, "fn_name": name, "session_hash": self._session}
        began = time.perf_counter()
        response = await self._http.post("gradio_api/component_server", json=body)
        self._seconds.append(time.perf_counter() - began)
        answer: dict[str, Any] = (
            response.json() if response.status_code == 200 else {"refused": response.text}
        )
        if "refused" in answer:
            self._errors.append(f"{name}: {answer['refused'][:200]}")
        return answer


async def _pupil(browser: Browser, name: str, steps: Sequence[tuple[int, object]]) -> None:
    await asyncio.sleep(random.uniform(0, ASK_SECONDS))  # pupils do not click at the same moment
    for step, guess in steps:
        await asyncio.sleep(random.uniform(0, STEP_SECONDS / 2))
        await browser.ask("class_predict", **{"class": name}, pupil=browser.pupil, step=step, guess=guess)
        while True:
            status = await browser.ask("class_look", **{"class": name}, pupil=browser.pupil, step=step)
            if status.get("revealed") or "refused" in status:
                break
            await asyncio.sleep(ASK_SECONDS)
        await browser.ask("reveal", lesson=LESSON, step=step)


async def _teacher(browser: Browser, opened: dict[str, Any], steps: Sequence[tuple[int, object]]) -> None:
    for step, _ in steps:
        await browser.ask("class_lead", **opened, step=step)
        for _ in range(int(STEP_SECONDS / ASK_SECONDS)):
            await browser.ask("class_look", **opened, step=step)
            await asyncio.sleep(ASK_SECONDS)
        await browser.ask("class_lead", **opened, step=step, reveal=True)
        await asyncio.sleep(ASK_SECONDS)
    await browser.ask("class_results", **opened)


async def _class(url: str, pupils: int) -> tuple[list[float], list[str]]:
    lesson = lesson_called(LESSON)
    assert lesson is not None
    questions = [(number, step.prediction) for number, step in enumerate(lesson.steps, 1) if step.prediction]
    steps = [(number, 0 if question.kind == "choose" else question.low) for number, question in questions]
    seconds: list[float] = []
    errors: list[str] = []
    # The server closes a connection after 5 seconds of rest; browsers ask again by themselves.
    limits = httpx.Limits(max_connections=2 * pupils, keepalive_expiry=1.0)
    # With the origin of the page, as browsers send it, each session counts as another visitor.
    headers = {"Origin": url.rstrip("/")}
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=limits, headers=headers) as http:
        config = (await http.get("config")).json()
        dock = next(part["id"] for part in config["components"] if part["props"].get("elem_id") == "lesson")
        teacher = Browser(http, dock, seconds, errors)
        opened = await teacher.ask("class_open", lesson=LESSON)
        browsers = [Browser(http, dock, seconds, errors) for _ in range(pupils)]
        await asyncio.gather(
            _teacher(teacher, opened, steps),
            *(_pupil(browser, opened["class"], steps) for browser in browsers),
        )
    return seconds, errors


def main(arguments: Sequence[str]) -> None:
    """Print a summary, then one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks class", description=__doc__)
    parser.add_argument("--pupils", type=int, default=MAX_PUPILS)
    pupils = parser.parse_args(arguments).pupils
    with serving("app.py") as server:
        seconds, errors = asyncio.run(_class(server.url, pupils))
    milliseconds = sorted(1000 * duration for duration in seconds)
    figures = {
        "class_pupils": pupils,
        "class_answers": len(milliseconds),
        "class_p50_ms": statistics.median(milliseconds),
        "class_p95_ms": milliseconds[int(0.95 * (len(milliseconds) - 1))],
        "class_worst_ms": milliseconds[-1],
        "class_errors": len(errors),
    }
    for error in sorted(set(errors))[:5]:
        print(error)
    print(f"{pupils} pupils: {len(milliseconds)} answers, 95 % within {figures['class_p95_ms']:.0f} ms")
    print(json.dumps({name: round(value, 1) for name, value in figures.items()}))

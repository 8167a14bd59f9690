"""A visitor of the Decode tab without a browser, who makes the calls of the page in the same order."""

from __future__ import annotations

import json
import random
import string
import time
from dataclasses import dataclass, field
from typing import Any

import httpx

THINK_SECONDS = (2.0, 6.0)  # between an answer and the next click
CHANGES_CHECKPOINT = 0.25  # share of clicks
# The settings of decodings, and their shares.
STRATEGIES: tuple[tuple[dict[str, Any], float], ...] = (
    ({"Strategy": "beam", "Beam size": 4}, 0.70),
    ({"Strategy": "greedy"}, 0.10),
    ({"Strategy": "sampling", "Samples": 8}, 0.08),
    ({"Strategy": "diverse", "Beam size": 4}, 0.06),
    ({"Strategy": "mbr", "Samples": 8}, 0.06),
)


@dataclass(frozen=True)
class Handler:
    """An event handler of the page."""

    number: int
    queued: bool
    inputs: tuple[tuple[str, Any], ...]  # labels and initial values

    def data(self, values: dict[str, Any]) -> list[Any]:
        """Return the inputs with new values by label; of several equal labels the first is changed."""
        remaining = dict(values)
        return [remaining.pop(label, value) for label, value in self.inputs]


@dataclass(frozen=True)
class Page:
    """The parts of `/config` that a visitor's browser uses."""

    trace: int  # component whose server function decodes
    decode: Handler  # the button that decodes, whose event runs in the browser
    on_text: tuple[Handler, ...]
    on_checkpoint: tuple[Handler, ...]

    @classmethod
    def read(cls, config: dict[str, Any]) -> Page:
        """Read the handlers of the button, the source text and the choice of the checkpoint."""
        *_, decode = handlers(config, "run", "click", by_server=False)
        on_text, on_checkpoint = (handlers(config, name, "change") for name in ("source", "checkpoint"))
        return cls(component(config, "trace"), decode, on_text, on_checkpoint)


def component(config: dict[str, Any], elem_id: str) -> int:
    """Return the number of a component."""
    return next(item["id"] for item in config["components"] if item["props"].get("elem_id") == elem_id)


def handlers(
    config: dict[str, Any], elem_id: str, event: str, *, by_server: bool = True
) -> tuple[Handler, ...]:
    """Return the handlers of an event of a component."""
    by_id = {item["id"]: item["props"] for item in config["components"]}
    owner = component(config, elem_id)
    return tuple(
        Handler(
            item["id"],
            item["queue"],
            tuple((by_id[i].get("label") or str(i), by_id[i].get("value")) for i in item["inputs"]),
        )
        for item in config["dependencies"]
        if [owner, event] in item["targets"] and item["backend_fn"] == by_server
    )


@dataclass
class Record:
    """The experience of all visitors."""

    seconds: list[float] = field(default_factory=list)  # from click to answer
    beam_seconds: list[float] = field(default_factory=list)  # the same for beam 4
    bytes: list[int] = field(default_factory=list)  # sizes of the answers
    waited: int = 0  # answers that mentioned a place in line
    errors: list[str] = field(default_factory=list)


class Visitor:
    """One session; `examples` are texts by checkpoint."""

    def __init__(
        self, http: httpx.AsyncClient, page: Page, examples: dict[str, list[str]], seed: int, record: Record
    ) -> None:
        self._http, self._page, self._examples, self._record = http, page, examples, record
        self._chance = random.Random(seed)
        self._session = "".join(self._chance.choices(string.ascii_lowercase + string.digits, k=11))
        self._checkpoint = self._chance.choice(list(examples))

    def thinking(self) -> float:
        """Seconds until the next click."""
        return self._chance.uniform(*THINK_SECONDS)

    async def open_page(self) -> None:
        """Request the page."""
        (await self._http.get("")).raise_for_status()

    async def click(self) -> None:
        """Choose an example, at times of another checkpoint, and decode it."""
        if self._chance.random() < CHANGES_CHECKPOINT:
            self._checkpoint = self._chance.choice(list(self._examples))
            for handler in self._page.on_checkpoint:
                await self._call(handler, {"Checkpoint": self._checkpoint})
        text = self._chance.choice(self._examples[self._checkpoint])
        weights = [weight for _, weight in STRATEGIES]
        strategy = self._chance.choices([values for values, _ in STRATEGIES], weights)[0]
        values = {"Checkpoint": self._checkpoint, "Source text": text}
        for handler in self._page.on_text:
            await self._call(handler, values)
        started = time.perf_counter()
        answer = await self.decode(values | strategy)
        seconds = time.perf_counter() - started
        self._record.seconds.append(seconds)
        self._record.bytes.append(len(answer))
        self._record.waited += "ahead of you" in answer
        if strategy.get("Strategy") == "beam":
            self._record.beam_seconds.append(seconds)

    async def decode(self, values: dict[str, Any]) -> str:
        """Click on Decode with these values, by label, and return the answer with all progress before it."""
        body = {
            "data": self._page.decode.data(values),
            "component_id": self._page.trace,
            "fn_name": "begin_decoding",
            "session_hash": self._session,
        }
        try:
            answer = await self._http.post("gradio_api/component_server", json=body)
            if answer.status_code != 200:
                self._record.errors.append(f"{answer.status_code} {answer.text[:200]}")
                return ""
            first = answer.json()
            later = (await self._http.get(first["address"])).text if "address" in first else ""
        except httpx.HTTPError as error:
            self._record.errors.append(repr(error))
            return ""
        if '"trace":' not in answer.text + later:
            self._record.errors.append((answer.text + later)[-300:])
        return answer.text + later

    async def _call(self, handler: Handler, values: dict[str, Any]) -> str:
        body = {"data": handler.data(values), "fn_index": handler.number, "session_hash": self._session}
        try:
            if handler.queued:
                return await self._queued(body)
            answer = await self._http.post("gradio_api/run/predict", json=body)
            if answer.status_code != 200:
                self._record.errors.append(f"{answer.status_code} {answer.text[:200]}")
        except httpx.HTTPError as error:
            self._record.errors.append(repr(error))
            return ""
        return answer.text

    async def _queued(self, body: dict[str, Any]) -> str:
        joined = await self._http.post("gradio_api/queue/join", json=body)
        if joined.status_code != 200:
            self._record.errors.append(f"{joined.status_code} {joined.text[:200]}")
            return ""
        event, lines = joined.json()["event_id"], []
        where = {"session_hash": self._session}
        async with self._http.stream("GET", "gradio_api/queue/data", params=where) as stream:
            async for line in stream.aiter_lines():
                lines.append(line)
                if '"msg":"process_completed"' in line and event in line:
                    if not json.loads(line.removeprefix("data: "))["success"]:
                        self._record.errors.append(line[:300])
                    break
            else:
                self._record.errors.append("the stream ended without an answer")
        return "\n".join(lines)

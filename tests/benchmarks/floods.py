"""Endless requests of greedy clients, as a table of coroutines by name, for `tests.benchmarks.flood`."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx

from demo.evaluate.work.request import MAX_PAIRS
from demo.labs import labs
from demo.work.operator.caps import MAX_CHARACTERS, MAX_OUTPUT_TOKENS, MAX_SAMPLES, MAX_UPLOAD_BYTES
from demo.work.requests.compare import MAX_ROWS
from models.decoding import strategies
from tests.benchmarks.visitor import component, handlers

EASY = {"checkpoint": "spa-eng-gru", "text": "Tengo hambre.", "strategy": "greedy"}
SEARCH = {**EASY, "strategy": "exact", "max_length": 40, "min_length": 30, "node_budget": 100_000}
WIDEST_RISK = {"strategy": "mbr", "num_samples": MAX_SAMPLES, "max_length": MAX_OUTPUT_TOKENS}
WORDS = ("la", "casa", "de", "mi", "hermana", "tiene", "una", "ventana", "grande", "y", "un", "perro", "que")
SEARCHES = 50  # simultaneous searches of all greedy addresses together
MANY = 10  # addresses of a flood that the budgets over all addresses must bear
CALLERS = 2  # clients with long requests, each from its own address
PAUSE = 0.05  # seconds between two calls that are refused, or whose answer is not read
PAIR_CHARACTERS = 480
CALL = "gradio_api/call/"


@dataclass
class Target:
    """The server as a greedy client sees it, with counts of its answers."""

    http: httpx.AsyncClient
    config: dict[str, Any]
    posts: Counter[int] = field(default_factory=Counter)  # requests by status
    answers: Counter[str] = field(default_factory=Counter)  # answers that were read, by outcome

    async def post(self, address: str, path: str, **content: Any) -> httpx.Response | None:
        """Post from an address; return None after an error or, with a pause, after a refusal."""
        try:
            answer = await self.http.post(path, **{"headers": sent_from(address), **content})
        except httpx.HTTPError:
            return None
        self.posts[answer.status_code] += 1
        if answer.status_code != 200:
            await asyncio.sleep(PAUSE)
        return answer if answer.status_code == 200 else None

    async def call(self, address: str, endpoint: str, values: dict[str, Any]) -> None:
        """Call an endpoint and read its answer."""
        posted = await self.post(address, f"{CALL}v2/{endpoint}", json=values)
        if posted is None:
            return
        path = f"{CALL}{endpoint}/{posted.json()['event_id']}"
        try:
            text = (await self.http.get(path, headers=sent_from(address), timeout=None)).text
        except httpx.HTTPError:
            text = ""
        self.answers["complete" if "event: complete" in text else "error"] += 1

    async def join(self, session: str, handler: int, data: list[Any], address: str) -> None:
        """Call a handler of the page as a browser does, and read the answer."""
        headers = sent_from(address) | {"origin": str(self.http.base_url).rstrip("/")}
        body = {"data": data, "fn_index": handler, "session_hash": session}
        if await self.post(address, "gradio_api/queue/join", json=body, headers=headers) is None:
            return
        where = {"session_hash": session}
        path = "gradio_api/queue/data"
        async with self.http.stream("GET", path, params=where, headers=headers, timeout=None) as stream:
            async for line in stream.aiter_lines():
                if '"msg":"process_completed"' in line:
                    self.answers["complete" if '"success":true' in line else "error"] += 1
                    return


Flood = Callable[[Target], Awaitable[None]]


def sent_from(address: str) -> dict[str, str]:
    """Return headers that simulate an address: a server trusts a proxy on its own machine."""
    return {"x-forwarded-for": address}


def address_of(number: int) -> str:
    """Return the address of a greedy client."""
    return f"203.0.113.{1 + number}"


def long_text(seed: int, characters: int = MAX_CHARACTERS) -> str:
    """Return a random text of that many characters."""
    chance = random.Random(seed)
    text = " ".join(chance.choice(WORDS) for _ in range(characters))
    return f"{text[: characters - 1].rstrip()}."


async def together(tasks: Sequence[Callable[[int], Awaitable[None]]]) -> None:
    """Repeat all tasks at the same time without end; a task receives the number of its earlier calls."""

    async def again(task: Callable[[int], Awaitable[None]]) -> None:
        count = 0
        while True:
            await task(count)
            count += 1

    await asyncio.gather(*(again(task) for task in tasks))


async def never_fetched(addresses: int, target: Target) -> None:
    """Post exact searches as programs and pages do, without reading the answers."""
    data = [SEARCH.get(str(label), value) for label, value in _translate(target.config)]
    headers = {"origin": str(target.http.base_url).rstrip("/")}

    async def post(number: int, count: int) -> None:
        address = address_of(number % addresses)
        variants: list[tuple[str, dict[str, Any]]] = [
            (f"{CALL}v2/translate", {"json": SEARCH}),
            (f"{CALL}translate", {"json": {"data": data}}),
        ]
        body = {"data": data, "session_hash": f"session-{number}-{count}"}
        variants.append((f"{CALL}translate", {"json": body, "headers": sent_from(address) | headers}))
        path, content = variants[number // addresses % len(variants)]
        await target.post(address, path, **content)
        await asyncio.sleep(PAUSE)

    await together([partial(post, number) for number in range(SEARCHES)])


def _translate(config: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the names and defaults of the endpoint's arguments."""
    by_id = {item["id"]: item["props"] for item in config["components"]}
    inputs = next(item["inputs"] for item in config["dependencies"] if item["api_name"] == "translate")
    return [(by_id[number].get("label"), by_id[number].get("value")) for number in inputs]


async def searches(addresses: int, target: Target) -> None:
    """Call exact searches and read their answers."""

    async def ask(number: int, _: int) -> None:
        await target.call(address_of(number % addresses), "translate", SEARCH)

    await together([partial(ask, number) for number in range(SEARCHES)])


async def minimum_risk(addresses: int, target: Target) -> None:
    """Decode the longest texts with the most samples, by programs, and read the answers."""

    async def ask(number: int, count: int) -> None:
        text = long_text(number * 1000 + count)
        await target.call(address_of(number), "translate", {**EASY, **WIDEST_RISK, "text": text})

    await together([partial(ask, number) for number in range(addresses)])


async def evaluations(settings: dict[str, Any], target: Target) -> None:
    """Call the largest evaluations that a program may request, each of different texts."""

    async def ask(number: int, count: int) -> None:
        first = (number * 1000 + count) * MAX_PAIRS
        texts = [long_text(first + index, PAIR_CHARACTERS) for index in range(MAX_PAIRS)]
        values = {**settings, "sources": texts, "references": texts}
        await target.call(address_of(number), "evaluate", values)

    await together([partial(ask, number) for number in range(CALLERS)])


async def inspections(endpoint: str, checkpoint: str, target: Target) -> None:
    """Call an endpoint that inspects a network with texts of the largest length."""

    async def ask(number: int, count: int) -> None:
        text = long_text(number * 1000 + count)
        values = {"checkpoint": checkpoint, "text": text, "target": text}
        await target.call(address_of(number), endpoint, values)

    await together([partial(ask, number) for number in range(CALLERS)])


async def comparisons(target: Target) -> None:
    """Compare as many strategies as the page allows."""
    (handler,) = handlers(target.config, "comparison", "shown")
    rows = [{"strategy": "beam", "beam_size": 16 - number} for number in range(MAX_ROWS)]

    async def ask(number: int, count: int) -> None:
        data = ["spa-eng-gru", long_text(number * 1000 + count), "", rows]
        await target.join(f"comparing-{number}", handler.number, data, address_of(number))

    await together([partial(ask, number) for number in range(CALLERS)])


async def trainings(target: Target) -> None:
    """Train in every lab, each in its own session."""
    view = component(target.config, "labs")
    names = [lab.name for lab in labs() if lab.training]

    async def ask(number: int, count: int) -> None:
        name = names[number % len(names)]
        data = {"lab": name, "options": {}, "act": "train" if count % 20 == 0 else None}
        body = {
            "data": data,
            "component_id": view,
            "fn_name": "compute",
            "session_hash": f"training-{number}",
        }
        headers = sent_from(address_of(number)) | {"origin": str(target.http.base_url).rstrip("/")}
        answer = await target.post("", "gradio_api/component_server", json=body, headers=headers)
        if answer is not None:
            stage = answer.json().get("training", {}).get("stage", "none")
            target.answers[str(stage)] += 1
        await asyncio.sleep(1)

    await together([partial(ask, number) for number in range(CALLERS * len(names))])


async def uploads(target: Target) -> None:
    """Upload files of training data of almost the largest allowed size, each of another content."""

    async def send(number: int, count: int) -> None:
        row = f"{number}\t{count:06}\n".encode()
        file = row * ((MAX_UPLOAD_BYTES - 1000) // len(row))
        await target.post(address_of(number), "gradio_api/upload", files={"files": ("pairs.tsv", file)})

    await together([partial(send, number) for number in range(CALLERS)])


async def wide_tables(target: Target) -> None:
    """Ask for the columns of tables that have as many as fit into a file."""
    (handler,) = handlers(target.config, "evaluate-file", "upload")
    file = b"0\t" * ((MAX_UPLOAD_BYTES - 1000) // 2)

    async def ask(caller: int, count: int) -> None:
        address = address_of(caller)
        sent = await target.post(address, "gradio_api/upload", files={"files": (f"{count}.tsv", file)})
        if sent is not None:
            path = {"path": sent.json()[0], "meta": {"_type": "gradio.FileData"}}
            data = [["spa-eng-gru"], "file", path, "", None]
            await target.join(f"columns-{caller}", handler.number, data, address)

    await together([partial(ask, number) for number in range(CALLERS)])


async def everything(target: Target) -> None:
    """Run all floods at once, for as long as the visitor beside them decodes."""
    others = (flood for name, flood in FLOODS.items() if name != "everything")
    await asyncio.gather(*(flood(target) for flood in others))


def _evaluations() -> dict[str, Flood]:
    """Return a flood for each strategy at its largest settings, and for some other checkpoints."""
    widest = {"beam": {"beam_size": 16}, "diverse": {"beam_size": 16, "num_groups": 16}}
    widest |= {name: {"num_samples": 100} for name in ("sampling", "stochastic", "mbr")}
    table: dict[str, Flood] = {}
    for name in strategies.names():
        settings = {"checkpoint": "spa-eng-gru", "strategy": name, **widest.get(name, {})}
        table[f"evaluate_{name}"] = partial(evaluations, settings)
    for checkpoint in ("spa-eng-lstm", "spa-eng-transformer"):
        settings = {"checkpoint": checkpoint, "strategy": "beam", "beam_size": 16}
        table[f"evaluate_beam_{checkpoint}"] = partial(evaluations, settings)
    return table


FLOODS: dict[str, Flood] = {
    "never_fetched_1": partial(never_fetched, 1),
    "never_fetched_5": partial(never_fetched, 5),
    "greedy_1": partial(searches, 1),
    "greedy_5": partial(searches, 5),
    "mbr_10": partial(minimum_risk, MANY),
    **_evaluations(),
    "attribute": partial(inspections, "attribute", "spa-eng-gru"),
    "lens": partial(inspections, "lens", "spa-eng-transformer"),
    "compare": comparisons,
    "labs": trainings,
    "uploads": uploads,
    "wide_tables": wide_tables,
    "everything": everything,
}


def selection(names: str) -> dict[str, Flood]:
    """Return the floods in a list with commas of names or their beginnings. Raises ValueError for others."""
    table: dict[str, Flood] = {}
    for name in filter(None, names.split(",")):
        matches = {
            title: flood for title, flood in FLOODS.items() if title == name or title.startswith(f"{name}_")
        }
        if not matches:
            raise ValueError(f"there is no flood {name!r}; there are: {', '.join(FLOODS)}")
        table |= matches
    return table

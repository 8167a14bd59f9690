"""A page is made once for each name and language of the server, a file is read and packed once."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demo.server.answer_cache import AnswerCache
from demo.server.request_language import RequestLanguage
from tests.fakes.simulated_time import SimulatedTime
from tests.waiting import PATIENCE


class PageMaker:
    """An app whose pages differ each time."""

    def __init__(self, response: type[Response] = HTMLResponse, **options: object) -> None:
        self.made = 0
        self._response, self._options = response, options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.made += 1
        text = f'<html lang="en"><head></head>{self.made} {Request(scope).url}</html>'
        await self._response(text, **self._options)(scope, receive, send)


class SlowMaker(PageMaker):
    """An app that answers slowly."""

    now = together = 0  # how many pages are being made, and the most that were

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.now += 1
        self.together = max(self.together, self.now)
        await asyncio.sleep(0.05)
        await super().__call__(scope, receive, send)
        self.now -= 1


def request_for(path: str) -> Scope:
    """A request for a file."""
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "scheme": "http",
        "query_string": b"",
        "headers": [],
    }


def ask(app: ASGIApp, address: str = "http://here/", language: str = "en", **headers: str) -> str:
    async def answer() -> str:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app)) as client:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return (await client.get(address, headers={"accept-language": language, **named})).text

    return asyncio.run(answer())


def test_a_second_visitor_gets_the_page_of_the_first() -> None:
    maker = PageMaker()
    app = AnswerCache(maker)
    first = ask(app)
    assert ask(app, "http://here/?tab=compare&text=hola") == first
    assert maker.made == 1


def test_simultaneous_requests_share_one_answer() -> None:
    maker = SlowMaker()
    app = AnswerCache(maker)

    async def rush() -> list[str]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app)) as client:
            return [item.text for item in await asyncio.gather(*(client.get("http://here/") for _ in "1234"))]

    assert len({*SimulatedTime().run(rush())}) == 1
    assert maker.made == 1


@pytest.mark.parametrize("options", [{"status_code": 500}, {"headers": {"set-cookie": "a=b"}}], ids=str)
def test_a_waiting_request_is_made_if_the_answer_is_not_cached(options: dict[str, Any]) -> None:
    maker = SlowMaker(HTMLResponse, **options)
    app = AnswerCache(maker)

    async def rush() -> list[str]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app)) as client:
            return [item.text for item in await asyncio.gather(*(client.get("http://here/") for _ in "1234"))]

    assert len({*SimulatedTime().run(rush())}) == 4
    assert maker.together == 3, "they wait in no line"


def test_a_slow_reader_does_not_delay_others() -> None:
    maker = PageMaker(StreamingResponse)
    app = AnswerCache(maker)
    scope, plain = request_for("/assets/a.js"), {"accept-encoding": "identity"}

    async def never(_: Message) -> None:
        await asyncio.Event().wait()

    async def nothing() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def both() -> str:
        slow = asyncio.create_task(app(scope, nothing, never))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app)) as client:
            text = (
                await asyncio.wait_for(client.get("http://here/assets/a.js", headers=plain), PATIENCE)
            ).text
        slow.cancel()
        return text

    assert asyncio.run(both()).startswith("<html")
    assert maker.made == 1


@pytest.mark.parametrize(
    "other",
    [
        {"address": "https://here/"},
        {"address": "http://there/"},
        {"language": "es"},
        {"x_forwarded_host": "there"},
        {"x_forwarded_proto": "https"},
        {"x_gradio_server": "http://there"},
    ],
    ids=str,
)
def test_each_name_and_language_has_its_own_page(other: dict[str, str]) -> None:
    maker = PageMaker()
    app = AnswerCache(maker)
    first = ask(app)
    assert ask(app, **other) != first
    assert ask(app) == first
    assert maker.made == 2


@pytest.mark.parametrize(
    "query", ["?deep_link=a", "?page=runs", "?page=", "?all_endpoints=1", "config?page=", "theme.css"]
)
def test_a_page_with_a_query_for_gradio_is_made_each_time(query: str) -> None:
    maker = PageMaker()
    app = AnswerCache(maker)
    for _ in range(2):
        ask(app, f"http://here/{query}")
    assert maker.made == 2


@pytest.mark.parametrize(
    "maker",
    [PageMaker(PlainTextResponse, status_code=500), PageMaker(HTMLResponse, headers={"set-cookie": "a=b"})],
    ids=["failed", "for somebody"],
)
def test_neither_failures_nor_personal_pages_are_cached(maker: PageMaker) -> None:
    app = AnswerCache(maker)
    for _ in range(2):
        ask(app)
    assert maker.made == 2


def test_invented_names_do_not_displace_a_frequent_page() -> None:
    maker = PageMaker()
    size = len(ask(maker, "http://host0/")) + 1
    app = AnswerCache(maker, room=4 * size)
    for number in range(12):
        ask(app, f"http://host{number}/")
        ask(app)  # a frequent page stays
    assert maker.made == 1 + 12 + 1
    assert len(app._answers) == 4
    assert app._answers._total() <= 4 * size


def test_a_file_in_pieces_is_read_once_for_each_packing() -> None:
    maker = PageMaker(StreamingResponse)
    app = AnswerCache(maker)
    first = ask(app, "http://here/assets/a.js", accept_encoding="gzip, br")
    assert ask(app, "http://there/assets/a.js", accept_encoding="br") == first
    others = [ask(app, "http://here/assets/a.js", accept_encoding=name) for name in ("gzip", "identity")]
    assert len({first, *others}) == 3
    assert maker.made == 3


@pytest.mark.parametrize(
    "headers", [{"range": "bytes=0-3"}, {"if_none_match": "a"}, {"if_modified_since": "b"}]
)
def test_a_conditional_request_is_passed_on(headers: dict[str, str]) -> None:
    maker = PageMaker()
    app = AnswerCache(maker)
    for _ in range(2):
        ask(app, "http://here/static/a.js", **headers)
    for _ in range(2):
        ask(app, "http://here/static/a.js?made=up")
    assert maker.made == 4
    assert not len(app._answers)


def test_a_cached_page_names_its_language_once() -> None:
    app = AnswerCache(RequestLanguage(PageMaker()))
    pages = [ask(app, "http://here/?lang=es") for _ in range(3)]
    assert len({*pages}) == 1
    assert pages[0].count("languages") == 1


@pytest.mark.slow
def test_a_cached_page_equals_gradios_page(served: str) -> None:
    uncached = httpx.get(served, params={"all_endpoints": "", "lang": "es"})
    for _ in range(2):
        cached = httpx.get(served, params={"lang": "es"})
        assert cached.text == uncached.text
        assert {**cached.headers, "date": ""} == {**uncached.headers, "date": ""}


@pytest.mark.slow
def test_the_description_of_the_page_is_made_once(served: str) -> None:
    uncached = httpx.get(f"{served}config", params={"deep_link": "", "__lang": "es"})
    answers = [httpx.get(f"{served}config", params={"__lang": "es"}) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert answers[0].json() == uncached.json()
    assert answers[0].json() != httpx.get(f"{served}config").json()


@pytest.mark.slow
def test_the_page_and_the_answers_to_calls_are_compressed(served: str) -> None:
    whole = httpx.get(served, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in whole.headers
    for encoding in ("br", "gzip"):
        with httpx.stream("GET", served, headers={"accept-encoding": encoding}) as answer:
            packed = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == encoding
        assert "Accept-Encoding" in answer.headers["vary"]
        assert len(packed) < len(whole.content) / 5
        assert httpx.get(served, headers={"accept-encoding": encoding}).text == whole.text
    config = httpx.get(f"{served}config", headers={"accept-encoding": "br"})
    assert config.headers["content-encoding"] == "br"


@pytest.mark.slow
def test_streams_are_not_compressed(served: str) -> None:
    accepts = {"accept-encoding": "br, gzip"}
    joined = httpx.post(
        f"{served}gradio_api/call/v2/translate", json={"text": "ab", "checkpoint": "letters"}, headers=accepts
    )
    event = joined.json()["event_id"]
    with httpx.stream("GET", f"{served}gradio_api/call/translate/{event}", headers=accepts) as streamed:
        assert "content-encoding" not in streamed.headers
        assert "event: complete" in streamed.read().decode()


@pytest.mark.slow
def test_a_cached_answer_equals_the_first_one(served: str) -> None:
    page = httpx.get(served).text
    result = re.search(r'src="\./(assets/[^"]+\.js)"', page)
    assert result is not None
    for encoding in ("br", "gzip", "identity"):
        answers = [httpx.get(served + result[1], headers={"accept-encoding": encoding}) for _ in range(2)]
        first, second = ({**answer.headers, "date": ""} for answer in answers)
        assert first == second
        assert first.get("content-encoding", "identity") == encoding
        assert answers[0].content == answers[1].content
    conditional = {"if-none-match": answers[1].headers["etag"]}
    assert httpx.get(served + result[1], headers=conditional).status_code in (200, 304)

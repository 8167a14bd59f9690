"""Addresses below a path in front reach the same routes, whatever the path is called."""

from __future__ import annotations

import asyncio

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from starlette.middleware import Middleware

from demo.server.assets import ASSETS
from demo.server.gate.routes import FrontPath

SCRIPT = f"{ASSETS}views/123/views.js"
PATHS = ("/", "/config", SCRIPT, "/assets/index.js", "/gradio_api/queue/data")
FRONTS = ("/decoder", "/a/b", ASSETS, "/unrolled", "/assets", "/config", "/gradio_api", "/gradio_api/queue")


def reached(front: str, *addresses: str) -> list[str]:
    """The route that answers at each address, of a server that has been told the path in front."""
    app = FastAPI(middleware=[Middleware(FrontPath)])
    app.root_path = front  # as Gradio does
    for path in PATHS:
        app.add_api_route(path, lambda path=path: path)

    async def ask() -> list[str]:
        async with AsyncClient(transport=ASGITransport(app), base_url="http://127.0.0.1") as client:
            return [str((await client.get(address)).json()) for address in addresses]

    return asyncio.run(ask())


@pytest.mark.parametrize("site", ["", "https://example.org"])
@pytest.mark.parametrize("front", FRONTS)
def test_every_route_is_reached_through_a_proxy_that_removes_the_path(front: str, site: str) -> None:
    assert reached(site + front, *PATHS) == [*PATHS]


@pytest.mark.parametrize("site", ["", "https://example.org"])
@pytest.mark.parametrize("front", FRONTS)
def test_every_route_is_reached_through_a_proxy_that_keeps_the_path(front: str, site: str) -> None:
    assert reached(site + front, *(front.rstrip("/") + path for path in PATHS)) == [*PATHS]


def test_a_name_that_begins_with_the_path_is_another_one() -> None:
    assert reached("/decode", "/decoder/config") == ["{'detail': 'Not Found'}"]

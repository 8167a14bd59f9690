"""The lists of open and closed addresses know every route of the installed Gradio."""

from __future__ import annotations

import asyncio
import logging

import gradio as gr
import httpx
import pytest
from starlette.middleware import Middleware

from demo.server.gate.routes import API, CLOSED_FOLDERS, CLOSED_PATHS, is_decided, routes_of
from demo.server.gate.shield import Shield
from tests.fakes.gradio_inside import app_of

NEW = API + "new/{name}"


@pytest.fixture
def page() -> gr.Blocks:
    with gr.Blocks() as page:
        gr.Button()
    return page


def undecided(page: gr.Blocks) -> list[str]:
    requests = [(method, route.path) for route in routes_of(app_of(page)) for method in route.methods]
    assert ("GET", API + "info") in requests
    return sorted(f"{method} {path}" for method, path in requests if not is_decided(method, path))


@pytest.mark.slow
def test_every_route_of_gradio_is_opened_or_closed(page: gr.Blocks) -> None:
    assert undecided(page) == [], "put them into demo/server/gate/routes.py"


@pytest.mark.slow
def test_every_closed_route_exists(page: gr.Blocks) -> None:
    paths = [route.path for route in routes_of(app_of(page))]
    assert set(paths) >= CLOSED_PATHS
    assert [folder for folder in CLOSED_FOLDERS if not any(path.startswith(folder) for path in paths)] == []


def answers(page: gr.Blocks, *requests: tuple[str, str]) -> list[int]:
    app = app_of(page, Middleware(Shield))
    app.add_api_route(NEW, lambda name: name, methods=["GET"])

    async def ask() -> list[int]:
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return [(await client.request(method, path)).status_code for method, path in requests]

    return asyncio.run(ask())


@pytest.mark.slow
def test_the_log_names_a_new_route_once(page: gr.Blocks, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert answers(page, ("GET", f"{API}new/a"), ("GET", f"{API}new/b")) == [404, 404]
    assert caplog.messages == [f"demo/server/gate/routes.py neither opens nor closes Gradio's GET {NEW}: 404"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", f"{API}nowhere"),
        ("POST", f"{API}new/a"),  # Gradio would refuse it too
        ("GET", f"{API}token"),
        ("POST", f"{API}stream/x/close"),
        ("GET", f"{API}file=nothing"),
        ("GET", "/?page=x"),
        ("GET", "/login/huggingface"),
    ],
)
def test_the_log_does_not_name_routes_that_are_closed_on_purpose(
    page: gr.Blocks, caplog: pytest.LogCaptureFixture, method: str, path: str
) -> None:
    with caplog.at_level(logging.WARNING):
        assert answers(page, (method, path)) == [404]
    assert caplog.messages == []

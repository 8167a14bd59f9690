"""Calls to a served page, by Gradio's client and over plain HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr
import httpx
from gradio_client import Client


@contextmanager
def served(demo: gr.Blocks, **settings: Any) -> Iterator[str]:
    """Serve a page on this machine and yield its address; close it at the end."""
    _, url, _ = demo.launch(server_name="127.0.0.1", prevent_thread_lock=True, quiet=True, **settings)
    yield url
    demo.close(verbose=False)


def http_client(url: str = "", **settings: Any) -> httpx.Client:
    """Return a client whose requests each open a connection.

    A server closes a connection that was idle for five seconds, and a request that just went out is lost.
    """
    return httpx.Client(base_url=url, limits=httpx.Limits(max_keepalive_connections=0), **settings)


def begin(http: httpx.Client, values: dict[str, Any]) -> str:
    """Start a call of `/translate` with named arguments and return its event id."""
    answer = http.post("gradio_api/call/v2/translate", json=values)
    return str(answer.raise_for_status().json()["event_id"])


def call(url: str, endpoint: str, data: str) -> str:
    """Make one call with raw JSON and return the server's stream of events."""
    with http_client(url, headers={"content-type": "application/json"}) as http:
        answer = http.post(f"gradio_api/call/{endpoint}", content=f'{{"data": {data}}}')
        event = answer.raise_for_status().json()["event_id"]
        return http.get(f"gradio_api/call/{endpoint}/{event}").text


def last_answer(url: str, endpoint: str, *values: Any) -> Any:
    """Return the final answer of an endpoint, which may be an error."""
    stream = call(url, endpoint, json.dumps(values))
    return json.loads(stream.strip().rsplit("data: ", 1)[1])


def translated(client: Client, *values: Any, **settings: Any) -> dict[str, Any]:
    """Return the answer of `/translate`."""
    answer: dict[str, Any] = client.predict(*values, **settings, api_name="/translate")
    return answer

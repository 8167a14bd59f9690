"""The MCP server as a client uses it, and the flag that starts it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from gradio_client import Client

import app
from demo import __version__
from demo.page.interface import build_demo, launch_settings
from demo.server.gate.rates import Rates
from demo.work.context import AppContext
from demo.work.operator.settings import ServerSettings
from models.decoding.trace import DecodingTrace
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS, TEXTS, WORDS
from tests.fakes.calls import served

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
TOOLS = ["list_checkpoints", "translate", "score"]
HAS_MCP = importlib.util.find_spec("mcp") is not None
needs_mcp = pytest.mark.skipif(not HAS_MCP, reason="requirements-mcp.txt is not installed")


@pytest.fixture(scope="module")
def url(shipped: Path) -> Iterator[str]:
    """The page over two small checkpoints, with tools."""
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    with served(demo, **launch_settings(uploads=False, server=ServerSettings(tools=True))) as url:
        yield url


def ask(url: str, method: str, *values: Any) -> Any:
    """Call a method of the session of the protocol's own client."""
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async def session() -> Any:
        async with (
            streamable_http_client(f"{url}gradio_api/mcp/") as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            return await getattr(session, method)(*values)

    return anyio.run(session)


def call_tool(url: str, tool: str, **arguments: Any) -> Any:
    """The JSON that a tool answers with."""
    result = ask(url, "call_tool", tool, arguments)
    (content,) = result.content
    assert not result.isError, content.text
    return json.loads(content.text)


@needs_mcp
def test_there_are_three_tools_and_nothing_else(url: str) -> None:
    assert [tool.name for tool in ask(url, "list_tools").tools] == TOOLS
    assert ask(url, "list_resources").resources == []
    assert ask(url, "list_resource_templates").resourceTemplates == []
    assert ask(url, "list_prompts").prompts == []
    schema = httpx.get(f"{url}gradio_api/mcp/schema").json()
    assert [tool["name"] for tool in schema] == TOOLS


@needs_mcp
def test_the_mcp_server_reports_its_version(url: str) -> None:
    server = ask(url, "initialize").serverInfo
    assert (server.name, server.version) == ("Unrolled", __version__)


@needs_mcp
def test_every_tool_and_every_argument_is_described(url: str) -> None:
    for tool in ask(url, "list_tools").tools:
        assert len(tool.description) > 100
        assert tool.inputSchema["additionalProperties"] is False
        for argument in tool.inputSchema["properties"].values():
            assert argument["description"].endswith(".")
            assert argument.keys() <= {"type", "enum", "oneOf", "description", "default"}
    _, translate, score = ask(url, "list_tools").tools
    assert translate.inputSchema["required"] == ["checkpoint", "text"]
    assert "exact" in translate.inputSchema["properties"]["strategy"]["enum"]
    assert score.inputSchema["required"] == ["checkpoint", "text", "target"]


@needs_mcp
def test_tools_answer_as_the_endpoints_do(url: str) -> None:
    client = Client(url, verbose=False)
    assert call_tool(url, "list_checkpoints") == client.predict(api_name="/checkpoints")
    values = {"checkpoint": LETTERS, "text": TEXTS[0]}
    assert call_tool(url, "translate", **values) == client.predict(**values, api_name="/translate")
    values["target"] = "hola"
    assert call_tool(url, "score", **values) == client.predict(**values, api_name="/score")


@needs_mcp
def test_a_tool_gives_the_trace(url: str) -> None:
    answer = call_tool(
        url, "translate", checkpoint=WORDS, text=TEXTS[0], strategy="beam", beam_size=3, trace=True
    )
    trace = DecodingTrace.from_json(json.dumps(answer["trace"]))
    assert (trace.checkpoint, trace.settings["beam_size"]) == (WORDS, 3)


@needs_mcp
@pytest.mark.parametrize(
    ("origin", "answered"),
    [
        (None, True),  # a program
        ("http://localhost:6274", True),  # a page of this machine
        ("http://[::1]:8000", True),
        ("https://example.com", False),
        ("http://localhost.example.com:7860", False),
        ("http://[", False),
        ("null", False),
    ],
)
@pytest.mark.parametrize("path", ["/", "/http"])
def test_pages_of_other_sites_cannot_use_the_tools(
    url: str, path: str, origin: str | None, answered: bool
) -> None:
    """A foreign name may resolve to this server; then the Host header is the foreign name."""
    headers = {"accept": "application/json, text/event-stream", **({"origin": origin} if origin else {})}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for host, is_ours in (({}, True), ({"host": "example.com:7860"}, False)):
        answer = httpx.post(f"{url}gradio_api/mcp{path}", json=body, headers={**headers, **host})
        assert (answer.status_code == 200) is (answered and is_ours)
        assert ("list_checkpoints" in answer.text) is (answered and is_ours)


@needs_mcp
def test_language_models_share_only_the_limit_of_their_address(shipped: Path) -> None:
    rates = Rates(6, lambda: 0.0)
    demo = build_demo(AppContext(Registry(shipped), "cpu"), rates=rates)
    with served(
        demo, **launch_settings(uploads=False, rates=rates, server=ServerSettings(tools=True))
    ) as url:
        call_tool(url, "list_checkpoints")
        assert rates.remembered == 2
        for _ in range(8):  # more calls than a session may make at once
            assert (
                call_tool(url, "translate", checkpoint=LETTERS, text="hola", max_length=2)["output"]
                is not None
            )
        assert rates.remembered == 2


@needs_mcp
@pytest.mark.parametrize(
    ("tool", "values", "sentence"),
    [
        ("translate", {"checkpoint": "leters", "text": "hola"}, "did you mean 'letters'"),
        ("translate", {"checkpoint": LETTERS, "text": "hola", "beam_size": 99}, "from 1 to 16; got 99"),
        ("translate", {"checkpoint": LETTERS, "text": "hola", "beams": 2}, "'beams' was unexpected"),
        ("translate", {"checkpoint": LETTERS, "text": "hola", "strategy": "best"}, "'best' is not one of"),
        ("translate", {"checkpoint": LETTERS}, "'text' is a required property"),
        ("score", {"checkpoint": LETTERS, "text": "hola", "target": " "}, "There is no text to score"),
        ("tokenize", {"checkpoint": LETTERS, "text": "hola"}, "Unknown tool"),
        ("card", {"checkpoint": LETTERS}, "Unknown tool"),
        ("compare", {}, "Unknown tool"),
        ("on_checkpoint", {}, "Unknown tool"),
    ],
)
def test_a_failed_tool_call_is_a_sentence_without_a_traceback(
    url: str, tool: str, values: dict[str, Any], sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    result = ask(url, "call_tool", tool, values)
    assert result.isError
    assert sentence in result.content[0].text
    assert "Traceback" not in "".join(capfd.readouterr())


@needs_mcp
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (b'{"text": "\xe9"}', "must be a JSON object"),
        (b'{"text": %s}' % (b"[" * 5_000 + b"]" * 5_000), "more than 100 levels"),
        (b'{"text": %s}' % (b"[" * 200 + b"]" * 200), "more than 100 levels"),
        (b'{"text": [%s]}' % (b"1, " * 20_000 + b"1"), "more than 10,000 values"),
        (b'{"seed": %s}' % (b"9" * 5_000), "must be a JSON object"),
        (b'{"temperature": NaN}', "NaN is not a JSON number"),
        (b'{"text": "\\ud800"}', "unpaired surrogate"),
    ],
    ids=["not UTF-8", "as deep as Python reads", "deep", "many values", "digits", "NaN", "half a character"],
)
@pytest.mark.parametrize("path", ["", "/", "/http"])
def test_a_body_that_the_protocol_cannot_parse_is_refused_with_a_sentence(
    url: str, path: str, arguments: bytes, sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    params = b'{"name": "translate", "arguments": %s}' % arguments
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": %s}' % params
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    answer = httpx.post(f"{url}gradio_api/mcp{path}", content=body, headers=headers)
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]
    assert "".join(capfd.readouterr()) == ""


def test_there_is_no_mcp_server_without_the_flag(shipped: Path) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    with served(demo, **launch_settings(uploads=False)) as url:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        headers = {"accept": "application/json, text/event-stream"}
        answer = httpx.post(f"{url}gradio_api/mcp/", json=body, headers=headers)
        assert answer.status_code in {404, 405}
        assert httpx.get(f"{url}gradio_api/mcp/schema").status_code == 404


def test_a_missing_mcp_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(app, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["app.py", "--mcp", "--runs", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"requirements-mcp\.txt$"):
        app.main()


def test_a_bad_switch_ends_the_start_with_one_sentence() -> None:
    environment = {**os.environ, "UNROLLED_MCP": "perhaps"}
    started = subprocess.run(
        [sys.executable, "app.py"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert started.returncode == 1
    assert started.stderr == "UNROLLED_MCP must be one of on, off; got 'perhaps'.\n"
    assert started.stdout == ""

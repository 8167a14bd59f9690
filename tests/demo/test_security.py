"""What the server gives to nobody: files, other visitors' uploads, addresses that the page does not need."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from demo.components.trace_assets import plotly_file
from demo.context import AppContext
from demo.interface import build_demo, launch_settings
from demo.rates import Rates
from demo.security import BUSY, TOO_SLOW, Shield
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.demo.training_form import training_context

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def served(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Any]]:
    """The page of a server that trains, and its Blocks."""
    demo = build_demo(training_context(shipped, tmp_path_factory.mktemp("runs")))
    _, url, _ = demo.launch(
        server_name="127.0.0.1", prevent_thread_lock=True, quiet=True, **launch_settings(uploads=True)
    )
    yield url, demo
    demo.close(verbose=False)


@pytest.fixture(scope="module")
def uploaded(served: tuple[str, Any]) -> str:
    """Where the server put somebody's file."""
    stored: list[str] = httpx.post(
        f"{served[0]}gradio_api/upload", files={"files": ("mine.tsv", b"my secret\tmein Geheimnis\n")}
    ).json()
    assert Path(stored[0]).is_file()
    return stored[0]


def raw(url: str, target: str, method: str = "GET") -> tuple[int, bytes]:
    """Status and body of a request whose target no client has tidied up."""

    async def ask() -> bytes:
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        head = f"{method} {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n"
        writer.write(f"{head}Content-Length: 0\r\n\r\n".encode())
        answer = await asyncio.wait_for(reader.read(), 20)
        writer.close()
        return answer

    answer = asyncio.run(ask())
    return int(answer.split()[1]), answer.partition(b"\r\n\r\n")[2]


def spellings(path: str) -> list[str]:
    """A path as honest and dishonest visitors write it."""
    up = "../" * 12 + path.lstrip("/")
    folder, name = path.rsplit("/", 1)
    own = str(plotly_file())
    return [
        path,
        quote(path, safe=""),
        quote(quote(path, safe=""), safe=""),
        up,
        up.replace("../", "%2e%2e/"),
        up.replace("../", "..%2f"),
        up.replace("../", "%252e%252e%252f"),
        up.replace("../", "..\\"),
        up.replace("../", "..%5c"),
        f"{own}/../{up}",
        f"{folder}/./{name}",
        f"//{path}",
        f"file://{path}",
        f"file:{path}",
        f"{path}%00",
        f"{path}%00.js",
        f"{path}/",
        f"\\\\127.0.0.1\\c$\\{name}",
        f"C:\\{name}",
    ]


@pytest.mark.parametrize(
    "route", ["gradio_api/file=", "gradio_api/file/", "file=", "file/", "gradio_api/proxy="]
)
def test_no_file_of_the_server_is_given_out(served: tuple[str, Any], route: str, tmp_path: Path) -> None:
    secret = Path(tempfile.gettempdir()) / "gradio" / "secret.txt"
    for path in ("/etc/passwd", str(ROOT / "app.py"), str(ROOT / "checkpoints/reverse-gru/config.json")):
        for spelt in spellings(path):
            status, body = raw(served[0], f"/{route}{spelt}".replace(" ", "%20"))
            assert status in {400, 404}, spelt
            assert b"root:" not in body
            assert b"import" not in body
    assert raw(served[0], f"/{route}{secret}")[0] == 404


def test_nobody_reads_what_another_has_uploaded(served: tuple[str, Any], uploaded: str) -> None:
    for spelt in spellings(uploaded):
        for method in ("GET", "HEAD"):
            status, body = raw(served[0], f"/gradio_api/file={spelt}", method)
            assert status in {400, 404}, spelt
            assert b"secret" not in body


def test_the_pages_own_file_and_the_downloads_it_made_are_given_out(served: tuple[str, Any]) -> None:
    url, demo = served
    assert httpx.get(f"{url}gradio_api/file={plotly_file()}").status_code == 200
    download = next(block for block in demo.blocks.values() if block.elem_id == "run-download")
    made = Path(tempfile.mkdtemp()) / "run.zip"
    made.write_bytes(b"PK")
    where = download.postprocess(str(made))
    path = download.move_resource_to_block_cache(where.path)
    answer = httpx.get(f"{url}gradio_api/file={path}")
    assert (answer.status_code, answer.content) == (200, b"PK")
    assert "attachment" in answer.headers["content-disposition"]
    assert httpx.get(f"{url}gradio_api/file={made}").status_code == 404  # the original


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "gradio_api/proxy=https://example.hf.space/"),
        ("GET", "gradio_api/file=https://example.com/"),
        ("GET", "gradio_api/deep_link?session_hash=x"),
        ("GET", "gradio_api/token"),
        ("GET", "gradio_api/user"),
        ("GET", "gradio_api/runs"),
        ("GET", "gradio_api/run-history/buckets"),
        ("GET", "gradio_api/dev/reload"),
        ("GET", "gradio_api/custom_component/x/client/component/style.css"),
        ("GET", "gradio_api/stream/x/1/1/playlist.m3u8"),
        ("GET", "gradio_api/queue/status"),
        ("GET", "gradio_api/vibe-code"),
        ("POST", "gradio_api/vibe-code"),
        ("POST", "gradio_api/vibe-edit"),
        ("POST", "gradio_api/process_recording"),
        ("POST", "gradio_api/stream/x"),
        ("POST", "login"),
        ("GET", "monitoring"),
        ("GET", "monitoring/summary"),
        ("GET", "docs"),
        ("GET", "redoc"),
        ("GET", "openapi.json"),
        ("PUT", "gradio_api/upload"),
        ("DELETE", ""),
    ],
)
def test_what_the_page_does_not_need_is_closed(served: tuple[str, Any], method: str, path: str) -> None:
    answer = httpx.request(method, served[0] + path)
    assert (answer.status_code, answer.text) == (404, "There is nothing here.")
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["../app.py", "%2e%2e/%2e%2e/routes.py", "..%2f..%2froutes.py", "//etc/passwd"]
)
@pytest.mark.parametrize("folder", ["static", "assets", "svelte"])
def test_the_folders_of_assets_lead_nowhere_else(served: tuple[str, Any], folder: str, path: str) -> None:
    status, body = raw(served[0], f"/{folder}/{path}")
    assert status in {400, 403, 404}
    assert b"import" not in body


def test_without_training_no_file_can_be_sent(shipped: Path) -> None:
    answer, _ = ask_shield(Shield(nothing, max_upload_bytes=0), "/gradio_api/upload", [b"small"])
    assert answer == 404


async def nothing(scope: Any, receive: Any, send: Any) -> None:
    """An app that answers 200 with the size of what it read."""
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def ask_shield(shield: Shield, path: str, pieces: list[bytes], pause: float = 0.0) -> tuple[int, str]:
    """One POST through the shield alone, in pieces."""

    async def ask() -> tuple[int, str]:
        waiting, answers = list(pieces), []

        async def receive() -> dict[str, Any]:
            await asyncio.sleep(pause)
            return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

        async def send(message: Any) -> None:
            answers.append(message)

        scope = {"type": "http", "method": "POST", "path": path, "headers": [], "client": ("192.0.2.1", 1)}
        await shield(scope, receive, send)
        return answers[0]["status"], answers[1]["body"].decode()

    return asyncio.run(ask())


def test_a_body_that_trickles_in_is_given_up() -> None:
    shield = Shield(nothing, body_seconds=0.2)
    assert ask_shield(shield, "/gradio_api/queue/join", [b"x"] * 100, pause=0.02) == TOO_SLOW
    assert ask_shield(shield, "/gradio_api/queue/join", [b"x"] * 3) == (200, "3")


def test_bodies_of_all_visitors_together_are_bounded_and_forgotten_afterwards() -> None:
    shield = Shield(nothing, max_body_bytes=100, max_upload_bytes=100)

    async def flood() -> list[int]:
        gate, statuses = asyncio.Event(), []

        async def one() -> None:
            sent = iter([{"type": "http.request", "body": b"x" * 90, "more_body": True}])

            async def receive() -> Any:
                for message in sent:
                    return message
                await gate.wait()
                return {"type": "http.request", "body": b"", "more_body": False}

            async def send(message: Any) -> None:
                if message["type"] == "http.response.start":
                    statuses.append(message["status"])

            scope = {"type": "http", "method": "POST", "path": "/gradio_api/queue/join", "headers": []}
            await shield(scope, receive, send)

        tasks = [asyncio.create_task(one()) for _ in range(8)]
        await asyncio.sleep(0.05)
        gate.set()
        await asyncio.gather(*tasks)
        return sorted(statuses)

    assert asyncio.run(flood()) == [200] * 4 + [BUSY[0]] * 4
    assert ask_shield(shield, "/gradio_api/queue/join", [b"x" * 90]) == (200, "90")


def test_files_cannot_be_sent_without_end() -> None:
    shield = Shield(nothing, rates=Rates(1))
    answers = [ask_shield(shield, "/gradio_api/upload", [b"x"]) for _ in range(20)]
    assert answers[0] == (200, "1")
    assert answers[-1][0] == 429
    assert "Wait" in answers[-1][1]


def test_who_asks_too_often_is_told_how_long_to_wait_and_others_are_not(shipped: Path) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"), rates=Rates(6))
    _, url, _ = demo.launch(
        server_name="127.0.0.1", prevent_thread_lock=True, quiet=True, **launch_settings(uploads=False)
    )
    try:
        patient, hasty = Client(url, verbose=False), Client(url, verbose=False)
        for _ in range(5):
            hasty.predict(LETTERS, "hola", "greedy", max_length=3, api_name="/translate")
        with pytest.raises(AppError, match=r"others want their turn too\. Wait \d+ seconds, then go on"):
            hasty.predict(LETTERS, "hola", "greedy", max_length=3, api_name="/translate")
        assert hasty.predict(LETTERS, "hola", api_name="/tokenize")  # small things go on
        assert patient.predict(LETTERS, "hola", "greedy", max_length=3, api_name="/translate")
    finally:
        demo.close(verbose=False)

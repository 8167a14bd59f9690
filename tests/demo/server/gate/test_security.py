"""The server serves no other files, no other visitors' uploads, and no unused routes."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from demo.page.interface import build_demo, launch_settings
from demo.server.gate.rates import Rates
from demo.server.gate.routes import is_served
from demo.widgets.view.assets import plotly_file
from demo.work.context import AppContext
from demo.work.operator.caps import allowed_settings
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.messages import says

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def uploaded(served: tuple[str, Any]) -> str:
    """The path of a file that another visitor has uploaded."""
    stored: list[str] = httpx.post(
        f"{served[0]}gradio_api/upload", files={"files": ("mine.tsv", b"my secret\tmein Geheimnis\n")}
    ).json()
    assert Path(stored[0]).is_file()
    return stored[0]


def raw(url: str, target: str, method: str = "GET") -> tuple[int, bytes]:
    """Status and body of a request with an unnormalised target."""

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
    """Several spellings of a path, as visitors and attackers write it."""
    up = "../" * 12 + path.lstrip("/")
    folder, name = path.rsplit("/", 1)
    plotly_path = str(plotly_file())
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
        f"{plotly_path}/../{up}",
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
    "route",
    ["gradio_api/file=", "gradio_api/file/", "file=", "file/", "gradio_api/proxy=", "unrolled/plotly/0/"],
)
def test_no_file_of_the_server_is_served(served: tuple[str, Any], route: str, tmp_path: Path) -> None:
    secret = Path(tempfile.gettempdir()) / "gradio" / "secret.txt"
    for path in ("/etc/passwd", str(ROOT / "app.py"), str(ROOT / "checkpoints/reverse-gru/config.json")):
        for spelt in spellings(path):
            status, body = raw(served[0], f"/{route}{spelt}".replace(" ", "%20"))
            assert status in {400, 404}, spelt
            assert b"root:" not in body
            assert b"import" not in body
    assert raw(served[0], f"/{route}{secret}")[0] == 404


def test_a_visitor_cannot_read_uploads_of_others(served: tuple[str, Any], uploaded: str) -> None:
    for spelt in spellings(uploaded):
        for method in ("GET", "HEAD"):
            status, body = raw(served[0], f"/gradio_api/file={spelt}", method)
            assert status in {400, 404}, spelt
            assert b"secret" not in body


def test_the_pages_own_downloads_are_served(served: tuple[str, Any]) -> None:
    url, demo = served
    download = next(block for block in demo.blocks.values() if block.elem_id == "run-download")
    original = Path(tempfile.mkdtemp()) / "run.zip"
    original.write_bytes(b"PK")
    where = download.postprocess(str(original))
    path = download.move_resource_to_block_cache(where.path)
    answer = httpx.get(f"{url}gradio_api/file={path}")
    assert (answer.status_code, answer.content) == (200, b"PK")
    assert "attachment" in answer.headers["content-disposition"]
    assert httpx.get(f"{url}gradio_api/file={original}").status_code == 404  # the original


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
        ("GET", "login/huggingface"),
        ("GET", "login/callback"),
        ("GET", "logout"),
        ("GET", "monitoring"),
        ("GET", "monitoring/summary"),
        ("GET", "docs"),
        ("GET", "redoc"),
        ("GET", "openapi.json"),
        ("PUT", "gradio_api/upload"),
        ("DELETE", ""),
        ("GET", "?page=x"),
        ("GET", "?__lang=es&page="),
    ],
)
def test_routes_that_the_page_does_not_need_are_closed(
    served: tuple[str, Any], method: str, path: str
) -> None:
    answer = httpx.request(method, served[0] + path)
    assert (answer.status_code, answer.text) == (404, "There is nothing at this address.")
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/login/huggingface", "/login/callback", "/logout"])
def test_routes_to_sign_in_are_open_only_with_the_button(path: str) -> None:
    """Gradio has these routes only with the button, which needs the library for signing in."""
    for has_button in (True, False):
        app = SimpleNamespace(get_blocks=lambda: SimpleNamespace(expects_oauth=has_button))  # noqa: B023
        assert is_served({"type": "http", "method": "GET", "path": path, "app": app}) is has_button
        assert not is_served({"type": "http", "method": "POST", "path": path, "app": app})


@pytest.mark.parametrize(
    "path", ["../app.py", "%2e%2e/%2e%2e/routes.py", "..%2f..%2froutes.py", "//etc/passwd"]
)
@pytest.mark.parametrize("folder", ["static", "assets", "svelte"])
def test_the_folders_of_assets_lead_nowhere_else(served: tuple[str, Any], folder: str, path: str) -> None:
    status, body = raw(served[0], f"/{folder}/{path}")
    assert status in {400, 403, 404}
    assert b"import" not in body


def test_only_a_visitor_above_the_rate_has_to_wait(shipped: Path) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"), rates=Rates(6, lambda: 0.0))
    _, url, _ = demo.launch(
        server_name="127.0.0.1", prevent_thread_lock=True, quiet=True, **launch_settings(uploads=False)
    )
    try:
        patient, hasty = Client(url, verbose=False), Client(url, verbose=False)
        for _ in range(5):
            hasty.predict(LETTERS, "hola", "greedy", max_length=3, api_name="/translate")
        with pytest.raises(AppError, match=r"\d+"):
            hasty.predict(LETTERS, "hola", "greedy", max_length=3, api_name="/translate")
        # Nor does it help to say that the call is a batch, which Gradio believes.
        body = {"data": [LETTERS, "hola"], "session_hash": hasty.session_hash, "batched": True}
        assert httpx.post(f"{url}gradio_api/call/translate", json=body).status_code == 422
        assert hasty.predict(LETTERS, "hola", api_name="/tokenize")  # small things go on
        assert patient.predict(LETTERS, "hola", "greedy", max_length=3, api_name="/translate")
    finally:
        demo.close(verbose=False)


def test_a_refusal_replaces_the_answer_on_the_page(shipped: Path) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"), rates=Rates(1, lambda: 0.0))
    _, url, _ = demo.launch(
        server_name="127.0.0.1", prevent_thread_lock=True, quiet=True, **launch_settings(uploads=False)
    )
    try:
        (trace,) = (block._id for block in demo.blocks.values() if getattr(block, "elem_id", None) == "trace")
        call = {"component_id": trace, "fn_name": "begin_decoding", "session_hash": "me"}
        call["data"] = [None] * (2 + len(allowed_settings()))
        states = [httpx.post(f"{url}gradio_api/component_server", json=call).json() for _ in range(6)]
        assert says(states[0]["refused"], "not_a_checkpoint_name")
        assert states[5].keys() == {"note"}
        assert "Too many requests at once" in states[5]["note"]
    finally:
        demo.close(verbose=False)


def test_every_page_that_is_kept_as_a_file_may_load_nothing() -> None:
    root = Path(__file__).parents[4]
    pages = [page for folder in ("demo", "models") for page in (root / folder).rglob("*.html")]
    whole = {page.name: page.read_text("utf-8") for page in pages if "<html" in page.read_text("utf-8")}
    assert {"exported_page.html", "html_report.html", "index.html"} <= set(whole)
    bare = [name for name, text in whole.items() if 'http-equiv="Content-Security-Policy"' not in text]
    assert bare == []

"""The page's own files: their addresses and answers; no other file is served."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from demo.server import assets
from demo.server.assets import address, assets_route, register_folder
from demo.widgets.view.assets import plotly_file
from demo.widgets.view.modules import plotly_address


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder registered as `views`, until the test ends."""
    monkeypatch.setattr(assets, "_FOLDERS", {})
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace" / "view.js").write_text('import "../shared/dom.js";\n')
    (tmp_path / "trace" / "view.py").write_text("secret = 1\n")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "dom.js").write_text("export const t = 1;\n")
    (tmp_path / "look.css").write_text("p { color: red }\n")
    register_folder("views", tmp_path)
    return tmp_path


def ask(path: str, method: str = "GET", prefix: str = "", **headers: str) -> httpx.Response:
    """A request to an app of the route alone, below `prefix` where one is given."""
    routes = [Mount(prefix, routes=[assets_route()])] if prefix else [assets_route()]
    transport = httpx.ASGITransport(Starlette(routes=routes))

    async def answer() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(answer())


def test_an_address_is_relative_and_reveals_no_folder_of_the_server(folder: Path) -> None:
    name, index, version, file = address("views", "trace/view.js").split("/", 3)
    assert (name, index, file) == ("unrolled", "views", "trace/view.js")
    assert len(version) == 12
    assert folder.name not in address("views", "trace/view.js")


def test_a_file_is_served_with_its_type_and_cacheable_for_a_year(folder: Path) -> None:
    answer = ask(f"/{address('views', 'trace/view.js')}")
    assert answer.text == (folder / "trace" / "view.js").read_text()
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in answer.headers["cache-control"]
    assert ask(f"/{address('views', 'look.css')}").headers["content-type"].startswith("text/css")
    head = ask(f"/{address('views', 'look.css')}", "HEAD")
    assert (head.status_code, head.content) == (200, b"")
    assert ask(f"/{address('views', 'look.css')}", "POST").status_code == 405


def test_relative_imports_of_assets_have_the_same_version(folder: Path) -> None:
    imported = urljoin(f"http://test/{address('views', 'trace/view.js')}", "../shared/dom.js")
    assert imported == f"http://test/{address('views', 'shared/dom.js')}"
    assert ask(imported).text == (folder / "shared" / "dom.js").read_text()


def test_a_change_of_any_file_changes_the_version(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = address("views", "look.css")
    (folder / "shared" / "dom.js").write_text("export const t = 2;\n")
    monkeypatch.setattr(assets, "_FOLDERS", {})
    register_folder("views", folder)
    after = address("views", "look.css")
    assert after != before
    # A page of before still gets the file, and is not to keep it under the old address.
    old = ask(f"/{before}")
    assert (old.status_code, old.headers["cache-control"]) == (200, "no-cache")


def test_an_address_below_a_prefix_leads_to_the_file(folder: Path) -> None:
    """A proxy may serve the page below its own path."""
    path = urljoin("/behind/", address("views", "look.css"))
    assert ask(path, prefix="/behind").text == (folder / "look.css").read_text()


@pytest.mark.parametrize(
    "path",
    [
        "unrolled/views/0/trace/view.py",
        "unrolled/views/0/%2e%2e/%2e%2e/app.py",
        "unrolled/views/0/..%2f..%2fapp.py",
        "unrolled/views/0/trace/%2e%2e/look.css",
        "unrolled/views/0//etc/passwd",
        "unrolled/views/0/",
        "unrolled/others/0/look.css",
    ],
)
def test_no_other_file_is_served(folder: Path, path: str) -> None:
    assert ask(f"/{path}").status_code == 404


def test_only_served_files_have_an_address(folder: Path) -> None:
    with pytest.raises(KeyError, match=r"view\.py"):
        address("views", "trace/view.py")
    with pytest.raises(KeyError):
        address("others", "look.css")


def test_a_name_stands_for_one_folder(folder: Path) -> None:
    register_folder("views", folder)  # again is no mistake
    with pytest.raises(ValueError, match="views"):
        register_folder("views", folder / "shared")
    with pytest.raises(FileNotFoundError, match=r"gone\.js"):
        register_folder("more", folder, only=("gone.js",))


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


@pytest.mark.slow
def test_the_page_names_no_folder_of_the_server(served: str) -> None:
    text = httpx.get(f"{served}config").text
    assert plotly_address() in text
    root = str(Path(__file__).parents[3])
    for path in (root, str(plotly_file().parent), "/site-packages/", str(Path.home())):
        assert not [string for string in strings(json.loads(text)) if path in string]
        assert path not in httpx.get(served).text


@pytest.mark.slow
def test_plotly_comes_compressed_through_all_layers(served: str) -> None:
    for encoding in ("br", "gzip"):
        with httpx.stream(
            "GET", f"{served}{plotly_address()}", headers={"accept-encoding": encoding}
        ) as answer:
            packed = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == encoding
        assert len(packed) < plotly_file().stat().st_size / 2
    whole = httpx.get(f"{served}{plotly_address()}", headers={"accept-encoding": "identity"})
    assert whole.content == plotly_file().read_bytes()
    assert whole.headers["content-type"].startswith("text/javascript")
    assert "immutable" in whole.headers["cache-control"]
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert httpx.post(f"{served}{plotly_address()}").status_code == 404

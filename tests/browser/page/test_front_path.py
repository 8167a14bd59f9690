"""The whole page below a path, behind proxies as docs/deploy.md describes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from tests.benchmarks.serving import serving
from tests.browser import training_page
from tests.browser.columns import TABLE, expect_columns, upload
from tests.browser.decode_page import SPANISH, decode, visit
from tests.browser.learn.dock import dock_at
from tests.browser.learn.test_class_page import choose, counted, open_class
from tests.browser.link_page import copied, restored
from tests.fakes.calls import begin, http_client
from tests.fakes.servers.front_proxy import FRONT, is_installed, proxied

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of the app, which knows the path."""
    runs = str(tmp_path_factory.mktemp("runs"))
    settings = {"GRADIO_ROOT_PATH": FRONT, "UNROLLED_RUNS": runs}
    with serving("app.py", **settings) as server:
        yield int(urlsplit(server.url).port or 0)


@pytest.fixture(params=["python", "nginx", "caddy"])
def url(request: pytest.FixtureRequest, served: int, tmp_path: Path) -> Iterator[str]:
    """The address of the page behind a proxy."""
    if not is_installed(request.param):
        pytest.skip(f"{request.param} is not installed")
    if request.param == "python" and is_installed("nginx"):
        pytest.skip("nginx stands for it")
    with proxied(request.param, served, tmp_path) as address:
        yield address


def test_the_page_works_below_a_path(
    url: str, open_window: Callable[..., Page], tmp_path: Path, subtests: pytest.Subtests
) -> None:
    page = open_window(permissions=("clipboard-read", "clipboard-write"))
    with subtests.test("an address without the last slash leads to the page"):
        visit(page, url.removesuffix("/"))
        assert page.url.startswith(url)
    with subtests.test("an answer streams"):
        assert decode(page, "Tengo hambre.")
    with subtests.test("a link leads back to the result"):
        link = copied(page)
        assert link.startswith(url)
        restored(page, link)
    with subtests.test("a file is sent and read"):
        page.goto(f"{url}?tab=evaluate")
        page.locator("#evaluate-kind").get_by_label("File").check(force=True)
        upload(page, "#evaluate-file", tmp_path / "table.csv", TABLE)
        expect_columns(page, "#evaluate-columns", ["", "source", "reference", "output"])
    with subtests.test("a file is fetched"):
        training_page.open_tab(page)
        with page.expect_download() as download:
            page.locator("#train-save").click()
        assert "model" in Path(download.value.path()).read_text(encoding="utf-8")
    with subtests.test("a class meets"):
        join_class(page, open_window(), url)
    with subtests.test("a program calls"), http_client(url) as http:
        event = begin(http, {"checkpoint": SPANISH, "text": "Tengo hambre."})
        assert '"text":' in http.get(f"gradio_api/call/translate/{event}").text


def join_class(teacher: Page, pupil: Page, url: str) -> None:
    link = open_class(teacher, url, "greedy")
    assert link.startswith(f"{url}?class=")
    pupil.goto(link)
    dock_at(pupil, 1)
    choose(pupil, 0)
    counted(teacher, 1, 1)

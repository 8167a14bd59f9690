"""A browser, a page whose complaints fail the test, and two ways to serve: some Blocks, or the real app."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import gradio as gr
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from demo.page.interface import build_demo, launch_settings
from demo.server.assets import assets_route
from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.browser.bare_page import BarePage, BareServer
from tests.browser.chromium import FLAGS, ChromiumError, find_chromium
from tests.browser.decode_page import visit
from tests.browser.windows import PATIENCE, Window, Windows

ROOT = Path(__file__).parents[2]
Serve = Callable[..., str]  # (blocks, **launch_kwargs) -> URL

# As app.py launches: what changes how a page behaves is the same in a test.
LAUNCH: dict[str, object] = {
    "ssr_mode": False,
    "run_history": False,
    "enable_monitoring": False,
    "show_error": False,
    "max_file_size": "2mb",
    "app_kwargs": {"routes": [assets_route()]},
}
START_SECONDS = 120  # a cold start reads torch from disk
expect.set_options(timeout=PATIENCE)
_failed = pytest.StashKey[bool]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[_failed] = report.failed or item.stash.get(_failed, False)
    return report


# Playwright keeps an event loop running in this thread until it is closed: package scope ends that before
# other tests start loops of their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Headless Chromium with a fresh profile, unable to resolve any host but this one."""
    with sync_playwright() as playwright:
        try:
            path = find_chromium(playwright)
        except ChromiumError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def windows(browser: Browser) -> Windows:
    """The windows of this process's browser."""
    return Windows(browser)


@pytest.fixture
def expected_errors() -> list[str]:
    """A list to which a test adds a part of each browser complaint that it provokes on purpose."""
    return []


@pytest.fixture
def open_window(
    windows: Windows, expected_errors: list[str], serve: Serve, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """`open_window(**options)` is an unused page in a browser context of its own.

    A console error, page error or foreign request of any of them fails the test at its end. It needs `serve`
    only to leave the pages before the server does.
    """
    opened_windows: list[Window] = []

    def open_one(**options: object) -> Page:
        opened_windows.append(windows.open(**options))
        return opened_windows[-1].page

    yield open_one
    complaints = []
    for window in opened_windows:
        windows.give_back(window, as_new=not request.node.stash.get(_failed, False))
        complaints += window.complaints
    unexpected = [text for text in complaints if not any(part in text for part in expected_errors)]
    if unexpected:
        pytest.fail("the browser complained:\n" + "\n".join(unexpected), pytrace=False)


@pytest.fixture
def page(open_window: Callable[..., Page]) -> Page:
    """One page from `open_window`."""
    return open_window()


@pytest.fixture(scope="package")
def bare_server() -> Iterator[BareServer]:
    """The server of pages that show views without Gradio's script."""
    server = BareServer()
    yield server
    server.close()


@pytest.fixture
def bare(page: Page, bare_server: BareServer) -> BarePage:
    """A page for views alone; `bare.open(view)` loads it."""
    return BarePage(page, bare_server)


@pytest.fixture(scope="package")
def usual_ports() -> list[int]:
    """The ports that tests reuse: a browser finds its compiled scripts by their address."""
    return []


@pytest.fixture
def serve(usual_ports: list[int]) -> Iterator[Serve]:
    """`serve(blocks, **launch_kwargs)` serves Blocks until the test ends; returns the URL."""
    served: list[gr.Blocks] = []

    def launch(blocks: gr.Blocks, **launch_kwargs: object) -> str:
        if len(served) == len(usual_ports):
            usual_ports.append(free_port())
        settings = {"server_name": "127.0.0.1", "server_port": usual_ports[len(served)], "quiet": True}
        served.append(blocks)
        blocks.launch(prevent_thread_lock=True, **{**settings, **LAUNCH, **launch_kwargs})
        return f"http://127.0.0.1:{blocks.server_port}/"

    yield launch
    for blocks in served:
        blocks.close(verbose=False)


@pytest.fixture(scope="package")
def app_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file with the output of the running app."""
    return tmp_path_factory.mktemp("app") / "app.log"


@pytest.fixture(scope="package")
def app_url(app_log: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the real app, started as a user starts it."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    runs = tmp_path_factory.mktemp("runs")
    environment = {**os.environ, "HOST": "127.0.0.1", "PORT": str(port), "PYTHONUNBUFFERED": "1"}
    environment["UNROLLED_RUNS"] = str(runs)
    # A row of Compare may take half of it; exact search beside other work takes more than ten seconds.
    environment["UNROLLED_DEADLINE"] = "40"
    environment["UNROLLED_HUB_CACHE"] = str(tmp_path_factory.mktemp("hub"))
    with app_log.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "app.py"], cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        _wait_until_it_answers(url, process, app_log)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()


@pytest.fixture(autouse=True)
def _no_traceback(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that uses the real app fails if the app printed a traceback meanwhile."""
    if "app_url" not in request.fixturenames:
        yield
        return
    log: Path = request.getfixturevalue("app_log")
    before = log.stat().st_size if log.exists() else 0
    yield
    printed = log.read_bytes()[before:].decode(errors="replace")
    if "Traceback" in printed:
        pytest.fail(f"the app printed a traceback:\n{printed}", pytrace=False)


def free_port() -> int:
    """A free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _wait_until_it_answers(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail(f"app.py ended with {process.returncode}:\n{log.read_text()}", pytrace=False)
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except OSError:  # nobody listens yet, or not for long enough
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"app.py did not answer within {START_SECONDS} s:\n{log.read_text()}", pytrace=False)


@pytest.fixture
def app_page(page: Page, app_url: str) -> Page:
    """The page as a visitor first sees it."""
    visit(page, app_url)
    return page


@pytest.fixture
def visitors(open_window: Callable[..., Page], app_url: str) -> Callable[[], Page]:
    """`visitors()` is the page of another visitor, in a browser context of its own."""

    def come() -> Page:
        page = open_window()
        visit(page, app_url)
        return page

    return come


@pytest.fixture(scope="package")
def context() -> AppContext:
    """The shipped checkpoints, the page's first one loaded."""
    context = AppContext(Registry(ROOT / "checkpoints"), "cpu")
    context.warm_up()
    return context


@pytest.fixture(scope="package")
def inner_url(context: AppContext) -> Iterator[str]:
    """The URL of the whole page, served by this process, so that a test can reach its objects."""
    with serving(context) as url:
        yield url


@contextmanager
def serving(context: AppContext) -> Iterator[str]:
    """Serve the whole page on a port of its own; yield the URL."""
    demo = build_demo(context)
    settings = {"server_name": "127.0.0.1", "server_port": free_port(), "quiet": True}
    demo.launch(prevent_thread_lock=True, **{**settings, **LAUNCH, **launch_settings(uploads=False)})
    try:
        yield f"http://127.0.0.1:{demo.server_port}/"
    finally:
        demo.close(verbose=False)

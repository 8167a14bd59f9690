"""Browser windows that tests reuse, each reset to an unused state.

A fresh one compiles all of Gradio's scripts anew, which takes seconds; one that has seen them does not.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Error,
    Page,
    Request,
    WebError,
)

VIEWPORT = {"width": 1440, "height": 900}
# Seconds do not matter on a busy machine: what never happens fails all the same.
PATIENCE = 120_000  # milliseconds
# Gradio's complaint about a stream that a reload or a change of language breaks off.
BROKEN_OFF = "AbortError: signal is aborted without reason"
# Its complaints that follow: one for each event, and one for each answer that arrived just before the end,
# since the values to which the answer adds are gone. Without the first they count as errors.
AFTER_IT = ("Unexpected error Connection errored out.", "Unexpected client exception TypeError")
# Stored as demo/views/page/first_visit.js does; a frame may be allowed to store nothing.
INTRODUCED = "try { localStorage.setItem('unrolled-introduced', 'true') } catch {}"
MAX_WAITING = 5  # windows that wait for the next test; each is a process of a hundred megabytes
# Methods whose effect outlasts the test: a window on which one was called is closed and not reused.
LASTING = {
    "page": ("once", "expose_function", "emulate_media"),
    "context": ("on", "route", "add_init_script", "set_offline", "set_extra_http_headers", "new_page"),
}
# Methods whose effect can be undone, by a function of the page, the result of the call and its arguments.
TAKEN_BACK: dict[str, Callable[..., object]] = {
    "on": lambda page, _, event, handler: page.remove_listener(event, handler),
    "route": lambda page, *_: page.unroute_all(),
    "add_init_script": lambda _, script, *__: script.close(),
}


class Window:
    """One page in a browser context of its own."""

    def __init__(self, browser: Browser, *, introduced: bool = True, **options: Any) -> None:
        """`options` of `Browser.new_context`, such as a locale.

        A page opens with the introduction unless the visitor is `introduced`.
        """
        self.options = {**options, "introduced": introduced}
        self.complaints: list[str] = []  # console errors, page errors, dialogs, requests to other hosts
        self.origins: set[str] = set()  # servers that received a request
        self.spent = self.leaving = self._broken_off = False
        self._taking_back: list[Callable[[], object]] = []
        self.context = browser.new_context(**{"viewport": VIEWPORT, **options})
        self.context.set_default_timeout(PATIENCE)
        self.context.on("console", self._on_console)
        self.context.on("weberror", self._on_weberror)
        self.context.on("request", self._on_request)
        self.context.on("dialog", self._on_dialog)
        if introduced:
            self.context.add_init_script(INTRODUCED)
        self._open_page = self.context.new_page
        self._note_use(self.context, "context")
        self.page: Page = self._new_page()

    def _new_page(self) -> Page:
        page = self._open_page()
        self._note_use(page, "page")
        return page

    def wipe(self) -> bool:
        """Reset the window to an unused state; return whether that is possible."""
        if self.spent:
            return False
        try:
            if self.page.is_closed():  # compiled scripts stay with the context
                self.page = self._new_page()
            self.page.mouse.move(0, 0)
            with contextlib.suppress(Error):  # a page without an address has none
                self.page.evaluate("sessionStorage.clear()")
            self.leaving = True  # interrupted requests make Gradio complain
            self.page.goto("about:blank")
            self._take_back()  # now that nothing is asked of anybody
            self._forget()
            self.page.set_viewport_size(self.options.get("viewport", VIEWPORT))
        except Error:
            return False
        self.origins.clear()
        return True

    def _take_back(self) -> None:
        while self._taking_back:
            self._taking_back.pop()()

    def _forget(self) -> None:
        session = self.context.new_cdp_session(self.page)
        for origin in self.origins:
            kinds = {"origin": origin, "storageTypes": "cookies,local_storage,indexeddb,service_workers"}
            session.send("Storage.clearDataForOrigin", kinds)
        session.detach()

    def _note_use(self, owner: Page | BrowserContext, kind: str) -> None:
        for name in LASTING[kind]:
            setattr(owner, name, self._spending(getattr(owner, name)))
        for name, take_back in TAKEN_BACK.items() if kind == "page" else ():
            setattr(owner, name, self._noting(getattr(owner, name), partial(take_back, owner)))

    def _spending(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any, **kwargs: Any) -> Any:
            self.spent = True
            return method(*args, **kwargs)

        return noted

    def _noting(self, method: Callable[..., Any], take_back: Callable[..., object]) -> Callable[..., Any]:
        def noted(*args: Any) -> Any:
            returned = method(*args)
            self._taking_back.append(partial(take_back, returned, *args))
            return returned

        return noted

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type != "error" or self.leaving:
            return
        follows = self._broken_off and message.text.startswith(AFTER_IT)
        self._broken_off = follows or message.text.startswith(BROKEN_OFF)
        if not self._broken_off:
            self.complaints.append(f"console error: {message.text} ({message.location.get('url', '')})")

    def _on_weberror(self, error: WebError) -> None:
        if not self.leaving:
            self.complaints.append(f"page error: {error.error}")

    def _on_dialog(self, dialog: Dialog) -> None:
        if self._taking_back or self.spent:  # the test sees to it
            return
        self.complaints.append(f"a dialog opened: {dialog.message}")
        dialog.dismiss()

    def _on_request(self, request: Request) -> None:
        url = urlsplit(request.url)
        if url.scheme in {"data", "blob"}:
            return
        self.origins.add(f"{url.scheme}://{url.netloc}")
        if url.hostname not in {"127.0.0.1", "localhost"}:
            self.complaints.append(f"request to another host: {request.url}")


class Windows:
    """A pool of windows."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._idle: list[Window] = []  # the one that was used last comes last

    def open(self, **options: Any) -> Window:
        """A window with these options: one from the pool, or a new one."""
        for window in reversed(self._idle):
            if window.options == {"introduced": True, **options}:
                self._idle.remove(window)
                window.complaints, window.leaving, window._broken_off = [], False, False
                return window
        return Window(self.browser, **options)

    def give_back(self, window: Window, *, as_new: bool) -> None:
        """Return a window to the pool, unless it is not `as_new` or cannot be reset."""
        if as_new and window.wipe():
            self._idle.append(window)
        else:
            window.context.close()
        while len(self._idle) > MAX_WAITING:
            self._idle.pop(0).context.close()

"""Browser windows that tests reuse, each reset to an unused state.

A fresh one compiles all of Gradio's scripts anew, which takes seconds; one that has seen them does not.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
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
    ViewportSize,
    WebError,
)

VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
# Seconds do not matter on a busy machine: what never happens fails all the same.
PATIENCE = 120_000  # milliseconds
# Milliseconds between two looks of a page at what it waits for. By default it looks in each frame.
POLLING = 100
# Gradio's complaint about a stream that a reload or a change of language breaks off.
BROKEN_OFF = "AbortError: signal is aborted without reason"
# Its complaints that follow: one for each event, and one for each answer that arrived just before the end,
# since the values to which the answer adds are gone. Without the first they count as errors.
AFTER_IT = ("Unexpected error Connection errored out.", "Unexpected client exception TypeError")
# Stored as demo/page/scripts/first_visit.js does; a frame may be allowed to store nothing.
INTRODUCED = "try { localStorage.setItem('unrolled-introduced', 'true') } catch {}"
MAX_WAITING = 5  # windows that wait for the next test; each is a process of a hundred megabytes
# Options that a window may change from test to test.
PASSING = {"introduced", "viewport", "permissions"}
# Methods whose effect outlasts the test: a window on which one was called is closed and not reused.
LASTING = {
    "page": ("once", "expose_function"),
    "context": ("on", "route", "add_init_script", "set_extra_http_headers"),
}
USUAL_MEDIA = dict.fromkeys(("media", "color_scheme", "reduced_motion", "forced_colors", "contrast"), "null")
# Methods whose effect can be undone, by a function of their owner, the result of the call and its arguments.
TAKEN_BACK: dict[str, dict[str, Callable[..., object]]] = {
    "page": {
        "on": lambda page, _, event, handler: page.remove_listener(event, handler),
        "route": lambda page, *_: page.unroute_all(),
        "add_init_script": lambda _, script, *__: script.close(),
        "emulate_media": lambda page, *_: page.emulate_media(**USUAL_MEDIA),
    },
    "context": {"set_offline": lambda context, *_: context.set_offline(False)},
}


class BrokenStreams:
    """Tells the errors of a console that count from those about a stream that was broken off."""

    def __init__(self) -> None:
        self._just_now = False

    def counts(self, text: str) -> bool:
        """Whether an error counts, after those that were asked about before."""
        follows = self._just_now and text.startswith(AFTER_IT)
        self._just_now = follows or text.startswith(BROKEN_OFF)
        return not self._just_now


class Window:
    """One page in a browser context of its own."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        """`options` of `Browser.new_context`, such as a locale, that hold for all uses of the window."""
        self.options = options
        self.complaints: list[str] = []  # console errors, page errors, dialogs, requests to other hosts
        self.origins: set[str] = set()  # servers that received a request
        self._taking_back: list[tuple[Page | BrowserContext, Callable[[], object]]] = []
        self.context = browser.new_context(**{"viewport": VIEWPORT, **options})
        self.context.set_default_timeout(PATIENCE)
        self.context.on("console", self._on_console)
        self.context.on("weberror", self._on_weberror)
        self.context.on("request", self._on_request)
        self.context.on("dialog", self._on_dialog)
        self._open_page = self.context.new_page
        self._note_use(self.context, "context")
        self.context.new_page = self._further_page  # type: ignore[method-assign]
        self.spent = False
        self.page: Page = self._new_page()

    def begin(
        self,
        *,
        introduced: bool = True,
        viewport: ViewportSize | None = None,
        permissions: Sequence[str] = (),
    ) -> None:
        """Prepare for a test. A page opens with the introduction unless the visitor is `introduced`."""
        self.complaints, self.leaving, self._hears_dialogs = [], False, False
        self._streams, self._introduced = BrokenStreams(), introduced
        self._introduce(self.page)
        self.page.set_viewport_size(viewport or VIEWPORT)
        if permissions:
            self.context.grant_permissions(permissions)
            self._taking_back.append((self.context, self.context.clear_permissions))

    def _new_page(self) -> Page:
        page = self._open_page()
        page.wait_for_function = partial(page.wait_for_function, polling=POLLING)  # type: ignore[method-assign]
        self._note_use(page, "page")
        return page

    def _further_page(self) -> Page:
        page = self._new_page()
        self._introduce(page)
        self._taking_back.append((page, page.close))
        return page

    def _introduce(self, page: Page) -> None:
        if self._introduced:
            page.add_init_script(INTRODUCED)

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
        except Error:
            return False
        return True

    def _take_back(self) -> None:
        for owner, take_back in reversed(self._taking_back.copy()):  # some call a method that is noted
            if not (isinstance(owner, Page) and owner.is_closed()):
                take_back()
        self._taking_back.clear()

    def _forget(self) -> None:
        session = self.context.new_cdp_session(self.page)
        for origin in self.origins:
            kinds = {"origin": origin, "storageTypes": "cookies,local_storage,indexeddb,service_workers"}
            session.send("Storage.clearDataForOrigin", kinds)
        session.detach()
        self.origins.clear()

    def _note_use(self, owner: Page | BrowserContext, kind: str) -> None:
        for name in LASTING[kind]:
            setattr(owner, name, self._spending(getattr(owner, name)))
        for name, take_back in TAKEN_BACK[kind].items():
            setattr(owner, name, self._noting(owner, getattr(owner, name), take_back))

    def _spending(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any, **kwargs: Any) -> Any:
            self.spent = True
            return method(*args, **kwargs)

        return noted

    def _noting(
        self, owner: Page | BrowserContext, method: Callable[..., Any], take_back: Callable[..., object]
    ) -> Callable[..., Any]:
        def noted(*args: Any, **kwargs: Any) -> Any:
            returned = method(*args, **kwargs)
            self._taking_back.append((owner, partial(take_back, owner, returned, *args)))
            self._hears_dialogs |= args[0:1] == ("dialog",)
            return returned

        return noted

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not self.leaving and self._streams.counts(message.text):
            self.complaints.append(f"console error: {message.text} ({message.location.get('url', '')})")

    def _on_weberror(self, error: WebError) -> None:
        if not self.leaving:
            self.complaints.append(f"page error: {error.error}")

    def _on_dialog(self, dialog: Dialog) -> None:
        if self._hears_dialogs or self.spent:  # the test sees to it
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
        passing = {name: options.pop(name) for name in PASSING & options.keys()}
        fitting = [window for window in self._idle if window.options == options]
        window = fitting[-1] if fitting else Window(self.browser, **options)
        if fitting:
            self._idle.remove(window)
        window.begin(**passing)
        return window

    def give_back(self, window: Window, *, as_new: bool) -> None:
        """Return a window to the pool, unless it is not `as_new` or cannot be reset."""
        if as_new and window.wipe():
            self._idle.append(window)
        else:
            window.context.close()
        while len(self._idle) > MAX_WAITING:
            self._idle.pop(0).context.close()

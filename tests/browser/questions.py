"""Counts the questions that a page asks its server. Files that the browser fetches do not count."""

from __future__ import annotations

from playwright.sync_api import Page


def questions(page: Page) -> list[str]:
    """The addresses to which the page posts anything from now on; the list grows by itself."""
    posted: list[str] = []
    page.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
    return posted

"""Collects the POST requests of a page, which are its questions to the server."""

from __future__ import annotations

from playwright.sync_api import Page


def questions(page: Page) -> list[str]:
    """A list that collects the addresses of all later POST requests of the page."""
    posted: list[str] = []
    page.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
    return posted

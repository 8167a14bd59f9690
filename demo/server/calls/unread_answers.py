"""Answers that are never fetched: Gradio would store those of 2,000 sessions, of any size."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

import gradio as gr

from demo.server.gradio_queue import answers_of, forget

MAX_ANSWERS = 16  # up to some 40 MB each; listeners fetch at once
EVERY_SECONDS = 5.0  # an answer without a listener is stored for one to two times as long


class UnreadAnswers:
    """Drops the data in Gradio's queue of sessions whose calls are over and that nobody listens to."""

    def __init__(
        self, page: gr.Blocks, is_listened_to: Callable[[str], bool], ip_group_of: Callable[[str], str]
    ) -> None:
        """`is_listened_to` tells whether a session has an open stream, `ip_group_of` its IP group."""
        self._page, self._is_listened_to, self._ip_group_of = page, is_listened_to, ip_group_of
        self._over: dict[str, frozenset[str]] = {}  # calls by session, as the last sweep left them
        self._is_due = False

    def watch(self) -> None:
        """Sweep every EVERY_SECONDS until nothing is stored any more. Needs a running event loop."""
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_later(EVERY_SECONDS, self._tick)

    def _tick(self) -> None:
        self._is_due = False
        if self.sweep():
            self.watch()

    def sweep(self) -> bool:
        """Drop calls that were already over at the last sweep; return whether anything was stored."""
        before, self._over = self._over, {}
        stored_answers = answers_of(self._page)
        for answers in stored_answers:
            if not answers.is_idle or self._is_listened_to(answers.session):
                continue
            if before.get(answers.session) == answers.calls:
                forget(self._page, answers)
            else:
                self._over[answers.session] = answers.calls
        return bool(stored_answers)

    def keep_only(self, most: int = MAX_ANSWERS) -> None:
        """Drop results until at most `most` wait, always the first of the IP group with the most results."""
        waiting = [item for item in answers_of(self._page) if item.results]
        waiting = [item for item in waiting if not self._is_listened_to(item.session)]
        excess = sum(item.results for item in waiting) - most
        if excess <= 0:
            return
        of = {item.session: self._ip_group_of(item.session) for item in waiting}
        while excess > 0:
            ip_groups = Counter[str]()
            for entry in waiting:
                ip_groups[of[entry.session]] += entry.results
            greediest = max(ip_groups, key=ip_groups.__getitem__)
            first = next(item for item in waiting if of[item.session] == greediest)
            waiting.remove(first)
            excess -= first.results
            forget(self._page, first)

"""Answers that are never fetched: Gradio would store those of 2,000 sessions, of any size."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

import gradio as gr

from demo.server.calls.listeners import STALL_SECONDS
from demo.server.gradio_queue import answers_of, forget

MAX_ANSWERS = 16  # up to some 40 MB each; listeners fetch at once
EVERY_SECONDS = 5.0  # an answer without a listener is stored for one to two times as long


class UnreadAnswers:
    """Drops the data in Gradio's queue of sessions whose calls are over and that nobody listens to."""

    def __init__(
        self, page: gr.Blocks, silence: Callable[[str], float], ip_group_of: Callable[[str], str]
    ) -> None:
        """`silence` returns the seconds for which a session has had no stream, `ip_group_of` its IP group."""
        self._page, self._silence, self._ip_group_of = page, silence, ip_group_of
        self._over: dict[str, frozenset[str]] = {}  # calls by session, as the last sweep left them
        self._is_due = False

    def watch(self) -> None:
        """Sweep every EVERY_SECONDS until nothing is stored any more. Needs a running event loop."""
        if not self._is_due:
            self._is_due = True
            loop = asyncio.get_running_loop()
            due = loop.time() + EVERY_SECONDS
            loop.call_at(due, lambda: self._tick(delay=loop.time() - due))

    def _tick(self, delay: float) -> None:
        self._is_due = False
        if delay > STALL_SECONDS:  # streams requested while the event loop stalled are not open yet
            self._over.clear()
        if self.sweep():
            self.watch()

    def sweep(self) -> bool:
        """Drop calls that were already over at the last sweep; return whether anything was stored.

        A session is kept for EVERY_SECONDS after its last stream: if that stream brings the answer of a call
        before the page knows the call's name, the page requests another stream.
        """
        before, self._over = self._over, {}
        stored_answers = answers_of(self._page)
        for answers in stored_answers:
            silence = self._silence(answers.session)
            if not answers.is_idle or not silence:
                continue
            if before.get(answers.session) == answers.calls and silence >= EVERY_SECONDS:
                forget(self._page, answers)
            else:
                self._over[answers.session] = answers.calls
        return bool(stored_answers)

    def keep_only(self, most: int = MAX_ANSWERS) -> None:
        """Drop results until at most `most` wait, always the first of the IP group with the most results."""
        waiting = [item for item in answers_of(self._page) if item.results]
        waiting = [item for item in waiting if self._silence(item.session)]
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

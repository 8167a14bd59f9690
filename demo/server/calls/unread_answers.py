"""Answers that nobody comes for: Gradio keeps those of 2,000 sessions, however large they are."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

import gradio as gr

from demo.server.gradio_queue import answers_of, forget

MOST = 16  # with their traces some 40 MB each; whoever listens fetches at once
EVERY_SECONDS = 5.0  # an answer is kept for one to two times as long, if nobody listens


class UnreadAnswers:
    """Lets go of what Gradio's queue keeps of sessions whose calls are over, where nobody listens."""

    def __init__(
        self, page: gr.Blocks, is_listened_to: Callable[[str], bool], network_of: Callable[[str], str]
    ) -> None:
        """`is_listened_to` says whether somebody reads a session's answers, `network_of` whose it is."""
        self._page, self._is_listened_to, self._network_of = page, is_listened_to, network_of
        self._over: dict[str, frozenset[str]] = {}  # calls by session, as the last sweep left them
        self._is_due = False

    def watch(self) -> None:
        """Sweep every EVERY_SECONDS until nothing is kept any more. Needs a running event loop."""
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_later(EVERY_SECONDS, self._tick)

    def _tick(self) -> None:
        self._is_due = False
        if self.sweep():
            self.watch()

    def sweep(self) -> bool:
        """Let go of what was over at the last sweep, too; whether anything is left."""
        before, self._over = self._over, {}
        kept = answers_of(self._page)
        for answers in kept:
            if not answers.is_idle or self._is_listened_to(answers.session):
                continue
            if before.get(answers.session) == answers.calls:
                forget(self._page, answers)
            else:
                self._over[answers.session] = answers.calls
        return bool(kept)

    def keep_only(self, most: int = MOST) -> None:
        """Let go of results until no more than `most` wait: the first of the network that has the most."""
        waiting = [item for item in answers_of(self._page) if item.results]
        waiting = [item for item in waiting if not self._is_listened_to(item.session)]
        excess = sum(item.results for item in waiting) - most
        if excess <= 0:
            return
        of = {item.session: self._network_of(item.session) for item in waiting}
        while excess > 0:
            networks = Counter[str]()
            for entry in waiting:
                networks[of[entry.session]] += entry.results
            greediest = max(networks, key=networks.__getitem__)
            first = next(item for item in waiting if of[item.session] == greediest)
            waiting.remove(first)
            excess -= first.results
            forget(self._page, first)

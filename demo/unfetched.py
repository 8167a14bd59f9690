"""Answers that nobody comes for: Gradio keeps those of 2,000 sessions, however large they are."""

from __future__ import annotations

from gradio.queueing import Queue

MOST = 32  # with their traces some 40 MB each; whoever listens fetches at once


def forget_unfetched(queue: Queue, most: int = MOST) -> None:
    """Let go of all answers of the sessions that came first, until no more than `most` wait to be fetched.

    Also of the names of answers whose session has left, which Gradio keeps for ever.
    """
    waiting: dict[str, set[str]] = {}
    for session, events in list(queue.pending_event_ids_session.items()):
        done = {event for event in events if event not in queue.event_ids_to_events}
        messages = queue.pending_messages_per_session.get(session)
        if messages is None:
            events -= done
            if not events:
                del queue.pending_event_ids_session[session]
        elif done and messages.qsize():
            waiting[session] = done
    excess = sum(map(len, waiting.values())) - most
    for session, done in waiting.items():
        if excess <= 0:
            return
        excess -= len(done)
        queue.pending_event_ids_session[session] -= done
        messages = queue.pending_messages_per_session[session]
        while messages.qsize():
            messages.get_nowait()

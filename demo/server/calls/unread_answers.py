"""Answers that nobody comes for: Gradio keeps those of 2,000 sessions, however large they are."""

from __future__ import annotations

import gradio as gr

from demo.server.gradio_compat import answers_of, forget

MOST = 32  # with their traces some 40 MB each; whoever listens fetches at once


def forget_unfetched(page: gr.Blocks, most: int = MOST) -> None:
    """Let go of all answers of the sessions that came first, until no more than `most` wait to be fetched.

    Also of the names of answers whose session has left, which Gradio keeps for ever.
    """
    kept = answers_of(page)
    for answers in kept:
        if answers.has_left:
            forget(page, answers)
    waiting = [answers for answers in kept if answers.wait and answers.calls]
    excess = sum(len(answers.calls) for answers in waiting) - most
    for answers in waiting:
        if excess <= 0:
            return
        excess -= len(answers.calls)
        forget(page, answers)

"""Functions of a page that `fill_in` has wired: the one that asks the server, and the one that fills in."""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.components import Component

from demo.server.gradio_compat import BlockFunction


def filled_by(page: gr.Blocks, question: BlockFunction) -> list[Component]:
    """Return the controls that the answer to a question fills in."""
    (done,) = (function for function in page.fns.values() if question.outputs[0] in function.inputs)
    return list(done.outputs)


def handler_of(question: BlockFunction) -> Any:
    """Return the handler that answers a question with the controls' values, which `fill_in` then packs."""
    return question.fn.__wrapped__  # type: ignore[union-attr]

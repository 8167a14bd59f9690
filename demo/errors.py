"""The one boundary between what goes wrong and what a visitor is told."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr

from demo.i18n import later, say
from demo.i18n.library import heard
from demo.request import RequestError
from models.corpus.pairs import DataError
from models.hub.errors import HubError
from models.pictures import PictureError
from models.registry.card import CheckpointError
from models.registry.registry import UnknownCheckpointError
from models.tokenization import TokenizerError
from models.training.runs import RunError, UnknownRunError

EXPECTED = (
    RequestError,
    CheckpointError,
    UnknownCheckpointError,
    DataError,
    HubError,
    PictureError,
    TokenizerError,
    RunError,
    UnknownRunError,
)
UNFIT = later("That does not work")
CALM = later(
    "Something went wrong on the server. It has been noted; the page still works, so try something else."
)

logger = logging.getLogger("unrolled")


def guarded(handler: Callable[..., Any], *bound: object) -> Callable[..., Any]:
    """`handler`, a function or a generator, with its first arguments given: failures become one sentence.

    Expected ones say what to do; any other is logged once, with its traceback, and never shown.
    """
    parameters = inspect.signature(handler).parameters.values()

    def once(*values: object) -> Any:
        with _boundary(handler.__name__):
            return handler(*bound, *values)

    def step_by_step(*values: object) -> Iterator[Any]:
        with _boundary(handler.__name__):
            yield from handler(*bound, *values)

    guarded_handler = step_by_step if inspect.isgeneratorfunction(handler) else once
    guarded_handler.__name__ = handler.__name__
    guarded_handler.__doc__ = handler.__doc__
    own = list(parameters)[len(bound) :]
    guarded_handler.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
    return guarded_handler


@contextmanager
def _boundary(name: str) -> Iterator[None]:
    try:
        yield
    except EXPECTED as error:
        message = str(error) if isinstance(error, RequestError) else sentence(str(error))
        raise _toast(say(UNFIT), message) from None
    except Exception:
        logger.exception("%s failed", name)
        raise _toast(say("Sorry"), say(CALM)) from None


def sentence(text: str) -> str:
    """A message of the library, which begins small and ends open, as a sentence for the page."""
    text = heard(text)
    first = text.split(" ", 1)[0]  # the name of a file keeps its spelling
    start = text[:1].upper() + text[1:] if first.isalpha() else text
    return start + ("" if text[-1:] in ".!?”。！？" else ".")


def safe_text(text: str) -> str:
    """A text for a place that renders HTML: without brackets, and without what UTF-8 cannot say."""
    plain = text.translate({ord("<"): "‹", ord(">"): "›", ord("&"): "＆"})
    return plain.encode("utf-8", "replace").decode("utf-8")


def _toast(title: str, message: str) -> gr.Error:
    return gr.Error(safe_text(message), title=title, print_exception=False)

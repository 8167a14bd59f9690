"""A toast of Gradio's travels in the queue: a handler outside it may show none, for nobody would see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

import gradio as gr
import pytest

from demo.server.page import Page
from demo.work.errors import guard
from tests.demo.i18n.keys import whole_page

TOASTS = {"Info", "Warning"}


def functions_of(value: object, visited: set[int]) -> Iterator[FunctionType]:
    """The functions of the project that a handler may call, by its closure and by names of its module."""
    inner = getattr(value, "func", value)
    is_ours = isinstance(inner, FunctionType) and inner.__module__.startswith(("demo", "tests"))
    if not is_ours or id(inner) in visited:
        return
    visited.add(id(inner))
    yield inner
    cells = [cell.cell_contents for cell in inner.__closure__ or ()]
    parts = [part for cell in cells for part in (cell if isinstance(cell, tuple) else (cell,))]
    parts += [inner.__globals__.get(name) for name in names_in(inner.__code__)]
    for part in parts:
        yield from functions_of(part, visited)


def names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def shows_toast(handler: Callable[..., Any]) -> bool:
    return any(TOASTS & {*names_in(function.__code__)} for function in functions_of(handler, set()))


def planted(name: object) -> object:
    gr.Info(str(name))
    return name


def caller(name: object) -> object:
    return planted(name)


@pytest.mark.parametrize("handler", [planted, caller, guard(caller)])
def test_a_toast_is_found_in_what_a_handler_calls(handler: Callable[..., Any]) -> None:
    assert shows_toast(handler)


@pytest.mark.slow
def test_only_handlers_in_the_queue_show_toasts(tmp_path_factory: pytest.TempPathFactory) -> None:
    page: Page = whole_page(tmp_path_factory.mktemp("page"))
    handlers = [(event.queue, event.fn) for event in page.fns.values() if event.fn is not None]
    assert any(shows_toast(handler) for queue, handler in handlers if queue), "a run that begins says so"
    assert [str(handler) for queue, handler in handlers if queue is False and shows_toast(handler)] == []

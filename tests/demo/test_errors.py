"""Refusals of the library reach visitors with their sentences."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from importlib import import_module

import gradio as gr
import pytest

from demo.errors import guard
from models.errors import Message, UnrolledError
from tests.source_modules import Module, sources


def errors_of(*folders: str) -> Iterator[type[Exception]]:
    """Each class of error that a module defines."""
    for module in filter(_defines_errors, sources(*folders)):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, Exception) and value.__module__ == module.name:
                yield value


def _defines_errors(module: Module) -> bool:
    return "Error(" in module.text and "\nclass " in module.text


REFUSALS = [kind for kind in errors_of("models", "demo") if issubclass(kind, UnrolledError)]


@pytest.mark.parametrize("kind", REFUSALS, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_each_refusal_is_passed_on_and_not_logged(
    kind: type[UnrolledError], caplog: pytest.LogCaptureFixture
) -> None:
    error = kind.__new__(kind)  # some classes take what they make their message of
    UnrolledError.__init__(error, Message("horse", "There is no {colour} horse.", colour="white"))

    def refuse() -> None:
        raise error

    with pytest.raises(gr.Error) as excinfo:
        guard(refuse)()
    assert excinfo.value.message == error.message
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_every_error_of_the_library_is_a_refusal() -> None:
    """An error of another kind would be reported as a failure of the server."""
    assert [kind for kind in errors_of("models") if not issubclass(kind, UnrolledError)] == []

"""Refusals of the library reach visitors with their sentences."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module

import gradio as gr
import pytest

from demo.work.errors import guard
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import decoding_options
from models.decoding.options import settings
from models.decoding.strategies import names
from models.errors import Message, UnrolledError, quoted_label
from tests.source_modules import Module, sources

PROGRAM_NAME = r"\b[a-z]+_[a-z_]+\b"  # as in code


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


@pytest.mark.parametrize("name", settings())
def test_the_page_names_each_setting_by_its_label_and_programs_by_its_name(name: str) -> None:
    label = quoted_label(settings()[name].label)
    for value in (None, [], "x" * 300, 10**9, -(10**9), 0.7):
        if settings()[name].problem(value) is None:
            continue
        for_page, for_program = (refusal(for_programs, **{name: value}) for for_programs in (False, True))
        assert label in for_page
        assert name in for_program
        assert "None" not in for_page
        assert not re.search(PROGRAM_NAME, for_page.replace(label, ""))


@pytest.mark.parametrize("strategy", names())
def test_settings_that_do_not_fit_together_have_the_words_of_the_form(strategy: str) -> None:
    for values in ({"min_length": 9, "max_length": 9}, {"beam_size": 4, "num_groups": 3}):
        with suppress(RequestError):
            assert decoding_options({"strategy": strategy, **values})
            continue
        assert not re.search(PROGRAM_NAME, refusal(False, strategy=strategy, **values))


def refusal(for_programs: bool, **values: object) -> str:
    """The message of a toast about these settings."""
    with pytest.raises(gr.Error) as excinfo:
        guard(decoding_options, values, for_programs=for_programs)()
    return str(excinfo.value.message)

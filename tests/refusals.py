"""Expected errors, by class, code and values instead of their wording."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath

import pytest

from models.errors import Message, UnrolledError

Refusal = tuple[str | int, ...]  # a code and values, for tables of cases
NO_SHORT_TEXT = ("half_a_character", "not_a_text", "too_many_characters")


@contextmanager
def refused(
    kind: type[UnrolledError], code: str | tuple[str, ...], /, *values: object
) -> Iterator[pytest.ExceptionInfo[UnrolledError]]:
    """Expect an error whose message, or a part of it, has this code (or one of them) and these field values.

    The code of a part counts as a value too. A text also matches without brackets and quotation marks, a path
    also by its last part.
    """
    with pytest.raises(kind) as excinfo:
        yield excinfo
    check_message(excinfo.value.message, code, *values)


@contextmanager
def passed_on(kind: type[BaseException], code: str | tuple[str, ...], /, *values: object) -> Iterator[None]:
    """Expect an error of another library that repeats the message of one of ours; see `refused`."""
    with pytest.raises(kind) as excinfo:
        yield
    error = excinfo.value.__context__
    assert isinstance(error, UnrolledError)
    assert str(error)[1:] in str(excinfo.value)  # the first letter may have become a capital one
    check_message(error.message, code, *values)


def check_message(message: str, code: str | tuple[str, ...], /, *values: object) -> None:
    """Assert that a message, or a part of it, has this code (or one of them) and these values."""
    assert isinstance(message, Message), f"a text without a code: {message}"
    parts = list(_parts(message))
    codes = {code} if isinstance(code, str) else {*code}
    assert codes & {part.code for part in parts}, (codes, message.to_dict())
    texts = {text for part in parts for text in _texts(part)}
    missing = [value for value in values if str(value) not in texts]
    assert not missing, (missing, message.to_dict())


def _parts(message: Message) -> Iterator[Message]:
    yield message
    for value in message.fields.values():
        if isinstance(value, Message):
            yield from _parts(value)


def _texts(message: Message) -> Iterator[str]:
    """Yield the code and the fields, each in every form that a test may use."""
    yield message.code
    for value in message.fields.values():
        text = str(value)
        yield from (text, text.strip("[]'\""), PurePath(text).name)

"""Checks of values that come from outside: the page and the API send any type and size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from demo.i18n import later, say
from demo.work.operator.caps import MAX_CHARACTERS, MAX_NAME_CHARACTERS
from models.errors import UnrolledError, brief
from models.registry.name import CheckpointName, UnknownCheckpointError
from models.setting import Setting, labels
from models.tokenization.pictures import MAX_PICTURE_CHARACTERS, NO_BASE64, PICTURE_PREFIX, too_long
from models.training.runs.request import is_token


class RequestError(UnrolledError, ValueError):
    """A request that cannot be served; the message says what to change.

    The message is in the language of the request, or one of the library.
    """

    strategy = ""  # the strategy of refused settings, whose form may give them labels of its own


def check_visitor(token: object) -> None:
    """Raises RequestError unless it is the secret by which a browser identifies itself."""
    if not is_token(token):
        raise RequestError(
            "visitor_not_told", "Your browser has not identified itself yet. Reload the page and try again."
        )


def check_result(data: object) -> Mapping[str, Any]:
    """The result that a page's script sends. Raises RequestError unless it is an object."""
    if not isinstance(data, Mapping):
        raise RequestError(
            "result_not_an_object", "A result must be an object; got {value}.", value=brief(data)
        )
    return data


def check_example(index: int, count: int) -> None:
    """Raises RequestError unless a checkpoint with `count` examples has this one, counted from 0."""
    if not 0 <= index < count:
        raise RequestError(
            "no_such_example", "There is no such example: this checkpoint has {count}.", count=count
        )


def check_name(name: object) -> CheckpointName:
    """Return a checkpoint's name, which may be missing here. Raises RequestError for an impossible name."""
    if not isinstance(name, str) or not name:
        raise RequestError(
            "not_a_checkpoint_name",
            "checkpoint must be the name of a checkpoint; got {value}.",
            value=brief(name),
        )
    if len(name) > MAX_NAME_CHARACTERS:
        raise RequestError(
            "checkpoint_name_too_long",
            "The name of a checkpoint cannot have {count} characters.",
            count=f"{len(name):,}",
        )
    try:
        return CheckpointName.of(name)
    except UnknownCheckpointError as error:
        raise RequestError(error.message) from error


def check_text(text: object) -> None:
    """Raises RequestError unless it is a text of allowed length, possibly empty, or could be a picture."""
    if not is_picture(text):
        check_short_text(later("text"), text, MAX_CHARACTERS)
    elif len(str(text)) > MAX_PICTURE_CHARACTERS:
        raise RequestError(too_long(str(text)))
    elif not str(text).isascii():  # half a character among others
        raise RequestError(NO_BASE64)


def is_picture(text: object) -> bool:
    """Whether a source claims to be a picture; `read_picture` checks whether it is one."""
    return isinstance(text, str) and text.startswith(PICTURE_PREFIX)


def check_fits(checkpoint: str, text: str, reads_pictures: bool) -> None:
    """Raises RequestError for a picture where a text is read, and for a text where a picture is."""
    if reads_pictures and not is_picture(text):
        raise RequestError(
            "reads_pictures", "{name} reads pictures, not texts. Pick or draw one.", name=checkpoint
        )
    if is_picture(text) and not reads_pictures:
        raise RequestError(
            "reads_texts",
            "{name} reads texts, not pictures. Type a text, or choose another checkpoint.",
            name=checkpoint,
        )


def check_short_text(name: str, text: object, limit: int) -> None:
    """Raises RequestError unless it is a text of at most `limit` characters, possibly empty."""
    Setting(characters=limit, default="").check(text, RequestError, say(name))


def check_choice(name: str, value: object, allowed: Iterable[str]) -> None:
    """Raises RequestError unless `value` is one of the allowed."""
    Setting(offers=labels({word: word for word in allowed}), default="").check(value, RequestError, say(name))


def number(name: str, value: object, low: float, high: float) -> float:
    """`value` as a float if it is a number within the bounds. Raises RequestError."""
    result: float = Setting(low=low, high=high, default=0.0).checked_value(value, RequestError, say(name))
    return result


def whole(name: str, value: object, low: int, high: int) -> int:
    """`value` as an int if it is a whole number within the bounds. Raises RequestError."""
    result: int = Setting(low=low, high=high, default=0).checked_value(value, RequestError, say(name))
    return result

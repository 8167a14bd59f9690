"""Checks of values that come from outside: the page and the API send any type and size."""

from __future__ import annotations

from typing import Any

from demo.i18n import later, say
from demo.limits import MAX_CHARACTERS, MAX_NAME_CHARACTERS
from models.pictures import MAX_CHARACTERS as MAX_PICTURE_CHARACTERS
from models.pictures import PREFIX


class RequestError(ValueError):
    """A request that cannot be served; the message says what to change."""


def check_name(name: object) -> None:
    """Raises RequestError unless it could be the name of a checkpoint."""
    if not isinstance(name, str) or not name:
        told = say("checkpoint must be the name of a checkpoint; got {value}.", value=shown(name))
        raise RequestError(told)
    if len(name) > MAX_NAME_CHARACTERS:
        raise RequestError(say("No checkpoint has a name of {count} characters.", count=f"{len(name):,}"))


def check_text(text: object) -> None:
    """Raises RequestError unless it is a text of bearable length, possibly empty, or could be a picture."""
    if not is_picture(text):
        check_short_text(later("text"), text, MAX_CHARACTERS)
    elif len(str(text)) > MAX_PICTURE_CHARACTERS:
        raise RequestError(
            say(
                "The picture has {count} characters; at most {limit} are read. Pick or draw another.",
                count=f"{len(str(text)):,}",
                limit=f"{MAX_PICTURE_CHARACTERS:,}",
            )
        )
    elif not str(text).isascii():  # half a character among others
        raise RequestError(say("The picture cannot be read: it is no base64. Pick or draw another."))


def is_picture(text: object) -> bool:
    """Whether a source claims to be a picture; `models.pictures.read_picture` tells whether it is one."""
    return isinstance(text, str) and text.startswith(PREFIX)


def check_fits(checkpoint: str, text: str, reads_pictures: bool) -> None:
    """Raises RequestError for a picture where a text is read, and for a text where a picture is."""
    if reads_pictures and not is_picture(text):
        raise RequestError(say("{name} reads pictures, not texts. Pick or draw one.", name=checkpoint))
    if is_picture(text) and not reads_pictures:
        raise RequestError(
            say(
                "{name} reads texts, not pictures. Type a text, or choose another checkpoint.",
                name=checkpoint,
            )
        )


def check_short_text(name: str, text: object, limit: int) -> None:
    """Raises RequestError unless it is a text of at most `limit` characters, possibly empty."""
    if not isinstance(text, str):
        raise RequestError(say("{name} must be a text; got {value}.", name=say(name), value=shown(text)))
    if len(text) > limit:
        raise RequestError(
            say(
                "The {name} has {count} characters; the limit is {limit}. Shorten it.",
                name=say(name),
                count=f"{len(text):,}",
                limit=f"{limit:,}",
            )
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise RequestError(
            say("The {name} contains half a character (a lone surrogate). Type it again.", name=say(name))
        )


def check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Raises RequestError unless `value` is one of the allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise RequestError(
            say(
                "{name} must be one of {allowed}; got {value}.",
                name=say(name),
                allowed=", ".join(allowed),
                value=shown(value),
            )
        )


def number(name: str, value: Any, low: float, high: float) -> float:
    """`value` if it is a number within the bounds. Raises RequestError."""
    # bool is an int to Python; NaN fails every comparison.
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise RequestError(
            say(
                "{name} must be a number from {low} to {high}; got {value}.",
                name=say(name),
                low=f"{low:g}",
                high=f"{high:g}",
                value=shown(value),
            )
        )
    return value


def whole(name: str, value: Any, low: int, high: int) -> int:
    """`value` as an int if it is a whole number within the bounds. Raises RequestError."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high or value % 1:
        raise RequestError(
            say(
                "{name} must be a whole number from {low} to {high}; got {value}.",
                name=say(name),
                low=f"{low:,}",
                high=f"{high:,}",
                value=shown(value),
            )
        )
    return int(value)


def shown(value: object) -> str:
    """A value in a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."

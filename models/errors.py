"""Messages of the library as data: a code, an English sentence and the values of its fields.

Translation is left to the page, which looks the sentence up in a catalogue before it fills it in.
"""

from __future__ import annotations

import difflib
import json
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

# A template without widths, which a damaged file could choose to fill the memory.
PLAIN_FIELDS = re.compile(r"(?:[^{}]|\{\{|\}\}|\{\w+\})*")
_SHORT_REPR = reprlib.Repr()  # reads only the beginning of a large value
_PARTS_SUFFIX = "_parts"  # names in a file that end so hold the parts of a Message
_SHORT_REPR.maxstring = _SHORT_REPR.maxother = _SHORT_REPR.maxlong = 60


class Message(str):
    """An English sentence, or a part of one, with its code, template and values.

    As in pydantic's `PydanticCustomError`: a code for programs, a template, and values by name. A value that
    is a Message itself is a part that has a translation of its own; any other text means the same everywhere.
    """

    code: str  # "text_too_long"; each template has its own
    template: str  # "The text has {count} tokens."
    fields: Mapping[str, object]  # values by the names in the template

    def __new__(cls, code: str, template: str, /, **fields: object) -> Message:
        """Fill the fields into the template. Without fields the template is the sentence, with its braces."""
        values = {name: _part(value) for name, value in fields.items()}
        message = super().__new__(cls, template.format(**values) if values else template)
        message.code, message.template, message.fields = code, template, values
        return message

    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, object]]:
        return (self.code, self.template), dict(self.fields)

    def templates(self) -> Iterator[str]:
        """The templates of the message and of its parts, which are the keys of a catalogue."""
        yield self.template
        for value in self.fields.values():
            if isinstance(value, Message):
                yield from value.templates()

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        fields = {
            name: value.to_dict() if isinstance(value, Message) else value
            for name, value in self.fields.items()
        }
        return {"code": self.code, "template": self.template, "fields": fields}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Message:
        """The inverse of `to_dict`. Raises ValueError."""
        try:
            fields = {
                name: cls.from_dict(value) if isinstance(value, Mapping) else value
                for name, value in data["fields"].items()
            }
            if not isinstance(data["code"], str) or (fields and not PLAIN_FIELDS.fullmatch(data["template"])):
                raise TypeError
            return cls(data["code"], data["template"], **fields)
        except (AttributeError, KeyError, IndexError, TypeError, RecursionError) as error:
            raise ValueError(f"not a message: {brief(data)}") from error


TOO_DEEP = Message("nested_too_deep", "lists and objects nested too deep")


def with_parts(values: Mapping[str, Any]) -> dict[str, Any]:
    """Add the parts of each Message, which is a plain text in a JSON file."""
    parts = {
        name + _PARTS_SUFFIX: value.to_dict() for name, value in values.items() if isinstance(value, Message)
    }
    return {**values, **parts}


def without_parts(data: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `with_parts`; a text without parts stays what it is. Raises ValueError."""
    texts = {name: value for name, value in data.items() if not name.endswith(_PARTS_SUFFIX)}
    messages = {
        name.removesuffix(_PARTS_SUFFIX): Message.from_dict(value)
        for name, value in data.items()
        if name.endswith(_PARTS_SUFFIX)
    }
    return texts | messages


class UnrolledError(Exception):
    """The base of all errors that the library raises for bad input; the message says what to do."""

    message: str  # a Message, or a text that needs no translation

    def __init__(self, code: str, template: str | None = None, /, **fields: object) -> None:
        """Take the code, template and fields of a Message, or a complete message."""
        self.message = code if template is None else Message(code, template, **fields)
        super().__init__(self.message)

    @property
    def code(self) -> str:
        """The code of the message, "" if it has none."""
        return self.message.code if isinstance(self.message, Message) else ""


def message_of(error: BaseException) -> str:
    """The message of an error, for use in another message."""
    return error.message if isinstance(error, UnrolledError) else str(error)


def reason_of(error: Exception) -> str:
    """The reason why data cannot be read, for use in another message.

    Visitors read it, so it has neither Python's own words nor the path that an OSError names.
    """
    if isinstance(error, UnrolledError):
        return error.message
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    if isinstance(error, json.JSONDecodeError):
        return Message("no_json_at", "no JSON at line {line}", line=error.lineno)
    if isinstance(error, UnicodeError):
        return Message("no_utf8", "it is not UTF-8")
    if isinstance(error, KeyError):
        return Message("entry_missing", "{name} is missing", name=brief(error.args[0]))
    if isinstance(error, RecursionError):
        return TOO_DEEP
    return Message("value_unfit", "something in it is missing, too long, or of the wrong type")


def quoted_label(label: str) -> Message:
    """A title or label between quotation marks, both translated."""
    return Message("quoted", "'{label}'", label=Message("label", label))


def in_quotes(words: Sequence[str], max_words: int = 5) -> str:
    """List the first words, each in quotation marks, and the number of further ones.

    Marks and commas are translated.
    """
    marked = [Message("word_in_quotes", "“{text}”", text=word) for word in words[:max_words]]
    joined = reduce(_in_a_row, marked) if marked else ""
    if len(words) <= max_words:
        return joined
    return Message("words_and_more", "{words} and {count} more", words=joined, count=len(words) - max_words)


def _in_a_row(first: Message, second: Message) -> Message:
    return Message("in_a_row", "{first}, {second}", first=first, second=second)


def brief(value: object) -> str:
    """The beginning of the `repr` of a value."""
    return _SHORT_REPR.repr(value)


def not_one_of(name: str, allowed: Iterable[object], value: object) -> Message:
    """The message about a value that is not among the allowed ones."""
    return Message(
        "not_one_of",
        "{name} must be one of {allowed}; got {value}",
        name=name,
        allowed=", ".join(map(str, allowed)),
        value=brief(value),
    )


def not_whole(name: str, low: object, value: object) -> Message:
    """The message about a value that is not a whole number, or too small."""
    return Message(
        "not_whole",
        "{name} must be a whole number of at least {low}; got {value}",
        name=name,
        low=low,
        value=brief(value),
    )


def not_a_text(name: str, value: object) -> Message:
    """The message about a value of another type."""
    return Message("not_a_text", "{name} must be a text; got {value}", name=name, value=brief(value))


def unfit_text(name: str, text: str, max_characters: int | None = None) -> Message | None:
    """The message about a text that is too long or broken; None if it is fine."""
    if max_characters is not None and len(text) > max_characters:
        return Message(
            "too_many_characters",
            "The {name} has {count} characters; the limit is {limit}. Shorten it.",
            name=name,
            count=f"{len(text):,}",
            limit=f"{max_characters:,}",
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        return Message(
            "half_a_character",
            "The {name} has an unpaired surrogate, which is not a character. Type it again.",
            name=name,
        )
    return None


def not_texts(name: str, value: object) -> Message:
    """The message about a value that is not a list of texts."""
    return Message("not_texts", "{name} must be a list of texts; got {value}", name=name, value=brief(value))


def not_a_mapping(name: str, value: object) -> Message:
    """The message about a value of another type."""
    return Message("not_a_mapping", "{name} must be a mapping; got {value}", name=name, value=brief(value))


def not_a_switch(name: str, value: object) -> Message:
    """The message about a value of another type."""
    return Message("not_a_switch", "{name} must be true or false; got {value}", name=name, value=brief(value))


def cannot_be_read(name: object, reason: object) -> Message:
    """The message about a file that is missing, unreadable or damaged."""
    return Message("cannot_be_read", "{name} cannot be read: {reason}", name=name, reason=reason)


def hint(name: str, names: Sequence[str]) -> Message:
    """Suggest the allowed name that is closest to an unknown one, or list the allowed names."""
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return Message("did_you_mean", "did you mean {close}?", close=repr(close[0]))
    return Message("there_are", "there are: {names}.", names=", ".join(names) or "none")


def _part(value: object) -> object:
    """Convert a field to a value that JSON can hold."""
    if isinstance(value, UnrolledError):
        return value.message
    return value if isinstance(value, str | int | float) else str(value)

"""What the library says, in the language of the request: recognised by the sentence it was made from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from demo.i18n import ENGLISH, language, say
from demo.i18n.library_sentences import PHRASES, SENTENCES

FIELD = re.compile(r"\{(\w+)\}")
# Fields that hold words of the library.
WORDED = frozenset(("measure", "words", "hint", "problem", "example", "remedy", "others"))
# Characters of a message that is looked at: what it quotes may be a visitor's, and with the fourth power
# of its length grows the time to find that it is none of these.
LONGEST = 600


def heard(text: str) -> str:
    """A message of the library in the language of the request; one that is not known as it is."""
    return text if language() == ENGLISH else _told(text, SENTENCES)


def _told(text: str, known: tuple[str, ...]) -> str:
    if len(text) > LONGEST:
        return text
    for template, pattern in _patterns(known):
        if found := pattern.fullmatch(text):
            fields = found.groupdict()
            return say(template, **{name: _field(name, value) for name, value in fields.items()})
    return text


def _field(name: str, value: str) -> str:
    return _told(value, PHRASES) if name in WORDED else value


@cache
def _patterns(known: tuple[str, ...]) -> Sequence[tuple[str, re.Pattern[str]]]:
    """Those with the most words of their own first: a shorter one may match what a longer one says."""
    ordered = sorted(known, key=lambda template: -len(FIELD.sub("", template)))
    return [(template, _pattern(template)) for template in ordered]


def _pattern(template: str) -> re.Pattern[str]:
    pieces = FIELD.split(template)
    return re.compile(
        "".join(f"(?P<{piece}>.+?)" if at % 2 else re.escape(piece) for at, piece in enumerate(pieces)),
        re.DOTALL,
    )

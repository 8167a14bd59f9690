"""The languages of the page. Keys are the English sentences: what has no translation stays English.

Each JSON file of this folder is the catalogue of one language. A sentence is marked where it is written:
`say` translates it now; `later` and `in_page` mark a sentence that the server or the browser's `t` translates
when it is shown; `message_text` translates a Message, of which errors of the library and labels with values
are made. `wanted_language` chooses the language of an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from models.errors import Message, UnrolledError

FOLDER = Path(__file__).parent
HEADER = ""  # the key under which a catalogue describes itself, as in gettext files
INCOMPLETE = "incomplete"  # the key of the label of a language with missing sentences
CODE = re.compile(r"[a-z]{2,3}")
LANGUAGE_PARAMETER = "__lang"  # in an address, beside Gradio's own `__theme`
LANGUAGE_COOKIE = "unrolled-lang"


@dataclass(frozen=True)
class Catalogue:
    """The sentences of one language, by the English ones."""

    name: str  # the language's name in that language
    incomplete_label: str = ""  # "in progress" in that language; empty if the catalogue is complete
    sentences: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The name as the list of languages shows it."""
        return f"{self.name} ({self.incomplete_label})" if self.incomplete_label else self.name


def read_catalogue(path: Path) -> Catalogue:
    """Read the catalogue of a file. Raises ValueError for one without a usable name or header."""
    if not CODE.fullmatch(path.stem):
        raise ValueError(f"{path.name} must have the two or three letters of a language as its name: fr.json")
    sentences = json.loads(path.read_text(encoding="utf-8"))
    header = sentences.pop(HEADER, None)
    if not isinstance(header, dict) or not header.get("name") or not header.keys() <= {"name", INCOMPLETE}:
        example = '"": {"name": "Français", "incomplete": "en cours"}'
        raise ValueError(f"{path.name} must name its language and may say that it is incomplete: {example}")
    return Catalogue(header["name"], header.get(INCOMPLETE, ""), sentences)


def read_catalogues(folder: Path = FOLDER) -> dict[str, Catalogue]:
    """Read the catalogues of a folder by the codes of their languages, the complete ones first."""
    catalogues = {path.stem: read_catalogue(path) for path in sorted(folder.glob("*.json"))}
    return dict(sorted(catalogues.items(), key=lambda pair: bool(pair[1].incomplete_label)))


ENGLISH = "en"
LANGUAGES = {ENGLISH: Catalogue("English"), **read_catalogues()}

_speaking: ContextVar[str] = ContextVar("language", default=ENGLISH)


def language() -> str:
    """The language of the request that is being answered."""
    return _speaking.get()


@contextmanager
def in_language(code: str) -> Iterator[None]:
    """Answer in a language for as long as the block lasts; an unknown language is English."""
    token = _speaking.set(code if code in LANGUAGES else ENGLISH)
    try:
        yield
    finally:
        _speaking.reset(token)


def say(text: str, /, **fields: object) -> str:
    """Translate `text` for the request and fill in its named fields."""
    translated = translations(_speaking.get()).get(text, text)
    return translated.format(**fields) if fields else translated


def counted(count: int, one: str, many: str) -> str:
    """Say `one` of a single thing and `many`, with the field {count}, of any other number of them."""
    return say(one) if count == 1 else say(many, count=f"{count:,}")


def quoted(text: str) -> str:
    """Put `text` between the quotation marks of the request's language."""
    return say("“{text}”", text=text)


def listed(texts: Iterable[str]) -> str:
    """Join the texts by the comma that the language of the request uses in lists."""
    return say("{first}, {second}", first="", second="").join(texts)


def later(text: str) -> str:
    """Mark a constant that `say` translates when it is shown."""
    return text


def message_text(error_or_text: UnrolledError | str) -> str:
    """Translate a message of the library and its parts for the request; return other texts as they are."""
    message = error_or_text.message if isinstance(error_or_text, UnrolledError) else error_or_text
    if not isinstance(message, Message):
        return message
    fields = {
        name: message_text(value) if isinstance(value, Message) else value
        for name, value in message.fields.items()
    }
    return say(message.template, **fields)


def in_page(text: str) -> str:
    """Mark a constant that the browser translates."""
    return text


def translations(code: str) -> Mapping[str, str]:
    """The translations by English sentence; empty for English and for an unknown language."""
    return LANGUAGES[code].sentences if code in LANGUAGES else {}


def complete_languages() -> list[str]:
    """The codes of the languages with every sentence. Unfinished ones fall back to English."""
    return [code for code, catalogue in LANGUAGES.items() if not catalogue.incomplete_label]


def wanted_language(query: str, headers: Mapping[str, str]) -> str:
    """One of `LANGUAGES` for a request: that of its address, of the language switch, or of the browser.

    A language that is still being translated must be chosen by hand; the browser's setting does not select
    it. Later requests of a page carry its address as the referrer; a page in a frame may have no cookie.
    """
    address = urlsplit(headers.get("referer", "")).query if LANGUAGE_PARAMETER not in query else query
    in_address = parse_qs(address).get(LANGUAGE_PARAMETER, [""])[-1]
    return (
        supported_language(in_address)
        or supported_language(_cookie(headers.get("cookie", "")))
        or _accepted_language(headers)
    )


def supported_language(tag: str) -> str:
    """The language of a BCP 47 tag such as es-MX or zh-Hans-CN; empty if it is not supported."""
    code = tag.strip().lower().replace("_", "-").split("-")[0]
    return code if code in LANGUAGES else ""


def _cookie(header: str) -> str:
    """The value of our cookie. `http.cookies` would fail if another program's cookie were malformed."""
    pairs = (part.strip().partition("=") for part in header.split(";"))
    return next((value for name, _, value in pairs if name == LANGUAGE_COOKIE), "")


def _accepted_language(headers: Mapping[str, str]) -> str:
    """The first complete language of `Accept-Language`, by weight; English if there is none."""
    ranges = []
    for index, part in enumerate(headers.get("accept-language", "").split(",")[:20]):
        tag, _, weight = part.replace(" ", "").partition(";q=")
        try:
            share = float(weight or 1)
        except ValueError:
            share = 0.0
        if share > 0 and supported_language(tag) in complete_languages():
            ranges.append((-share, index, supported_language(tag)))
    return min(ranges)[2] if ranges else ENGLISH

"""TMX 1.4 translation memories, one column for each language; no entity is expanded."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import Any
from xml.parsers import expat

from models.corpus.files.table import RowCollector, TextTable, check_columns, check_rows
from models.corpus.pairs import DataError
from models.errors import Message, UnrolledError

# Elements within a segment that hold codes of the program that wrote it, not text.
_CODE_ELEMENTS = frozenset({"bpt", "ept", "ph", "it", "ut"})
_TOO_FEW_LANGUAGES = Message("too_few_languages", "fewer than two languages")


def read_tmx(content: bytes, name: str, encoding: str | None = None) -> TextTable:
    """The table of a file, in the encoding that it declares if None. Raises DataError unless it is TMX."""
    return _Reader(name, encoding).read(content)


class _Reader:
    """The state of one parse: the unit, its language, and whether text counts."""

    def __init__(self, name: str, encoding: str | None) -> None:
        self.name = name
        self.parser = expat.ParserCreate(encoding)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.SkippedEntityHandler = self.add_entity
        self.parser.EntityDeclHandler = self.refuse_entity
        self.parser.XmlDeclHandler = self.note_encoding
        self.encoding = encoding or ""
        self.units: list[tuple[int, dict[str, str]]] = []
        self.columns: dict[str, str] = {}  # codes of languages: lower case to the file's spelling
        self.unit: dict[str, str] = {}
        self.line = 0
        self.language = ""
        self.segment: list[str] | None = None
        self.codes = 0  # number of open code elements
        self.is_tmx = False

    def read(self, content: bytes) -> TextTable:
        try:
            self.parser.Parse(content, True)
        except expat.ExpatError as error:
            problem = expat.ErrorString(error.code)
            raise DataError(
                "xml_damaged",
                "{name}, line {line}: this is not well-formed XML ({reason}): export the file again",
                name=self.name,
                line=error.lineno,
                reason=problem,
            ) from error
        except (LookupError, ValueError) as error:
            if isinstance(error, UnrolledError):
                raise
            raise DataError(
                "xml_encoding_unknown",
                "{name} declares an encoding that is not known: save it as UTF-8",
                name=self.name,
            ) from error
        self.join_variants()
        check_columns(self.name, len(self.columns))  # checked before each row gets a cell for each column
        collector = RowCollector()
        for line, unit in self.units:
            if len(unit) < 2:
                collector.reject(line, _TOO_FEW_LANGUAGES, " | ".join(unit.values()))
            else:
                collector.add(line, [unit.get(column, "") for column in self.columns])
        return collector.table(
            self.name, "TMX", (self.encoding or "UTF-8").upper(), list(self.columns.values())
        )

    def join_variants(self) -> None:
        """Make one column of the variants of a language, such as es and es-MX, that no unit has together."""
        languages = {key: re.split("[-_]", key)[0] for key in self.columns}
        apart = set()
        for _, unit in self.units:
            counts = Counter(languages[key] for key in unit)
            apart |= {language for language, count in counts.items() if count > 1}
        firsts: dict[str, str] = {}
        joined = {
            key: key if language in apart else firsts.setdefault(language, key)
            for key, language in languages.items()
        }
        self.columns = {key: name for key, name in self.columns.items() if joined[key] == key}
        self.units = [(line, {joined[key]: text for key, text in unit.items()}) for line, unit in self.units]

    def note_encoding(self, version: str, encoding: str | None, standalone: int) -> None:
        self.encoding = self.encoding or encoding or ""

    def refuse_entity(self, entity: str, *declaration: Any) -> None:
        raise DataError(
            "xml_entity",
            "{name} declares the entity {entity}, which is not allowed: write the text itself",
            name=self.name,
            entity=repr(entity[:40]),
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self.is_tmx and tag != "tmx":
            raise DataError(
                "no_tmx",
                "{name} is XML but not TMX: it begins with {tag}, not {wanted}",
                name=self.name,
                tag=f"<{tag[:40]}>",
                wanted="<tmx>",
            )
        self.is_tmx = True
        if tag == "tu":
            self.unit, self.line = {}, self.parser.CurrentLineNumber
        elif tag == "tuv":
            self.language = attributes.get("xml:lang") or attributes.get("lang") or ""
        elif tag == "seg":
            self.segment, self.codes = [], 0
        elif tag in _CODE_ELEMENTS:
            self.codes += 1

    def end(self, tag: str) -> None:
        if tag == "seg" and self.segment is not None:
            language = self.language.lower() or "no language"
            self.columns.setdefault(language, self.language or "no language")
            self.unit.setdefault(language, "".join(self.segment))
            self.segment = None
        elif tag == "tu":
            self.units.append((self.line, self.unit))
            check_rows(len(self.units))
        elif tag in _CODE_ELEMENTS:
            self.codes -= 1

    def text(self, text: str) -> None:
        if self.segment is not None and not self.codes:
            self.segment.append(text)

    def add_entity(self, entity: str, is_parameter: bool) -> None:
        # An entity of HTML, such as &eacute;, which only a document type that is not fetched would declare.
        if not is_parameter:
            self.text(html.unescape(f"&{entity};"))

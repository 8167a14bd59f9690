"""Catalogues: a JSON file in this folder for each language but English, named after the language's code."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent
HEADER = ""  # the key under which a catalogue describes itself, as in gettext files
INCOMPLETE = "incomplete"  # the key of the label of a language with missing sentences
CODE = re.compile(r"[a-z]{2,3}")


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

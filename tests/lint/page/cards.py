"""The translated cards of the shipped checkpoints exist and state the facts of the English ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from demo.i18n import ENGLISH, complete_languages
from models.registry.card import translated_card
from tests.documents import ROOT, Document
from tests.lint.project import Breach, Project

# Parts that are the same in every language.
FACTS = {
    "figures": re.compile(r"\d[\d.,]*\d|\d"),
    "code": re.compile(r"`[^`]+`"),
    "links": re.compile(r"\]\(([^)]+)\)"),
    "quotations": re.compile(r'"[^"]+"'),
}


def a_card_says_the_same_in_every_language(project: Project) -> Iterator[Breach]:
    others = [translated_card(code) for code in complete_languages() if code != ENGLISH]
    for path, text in project.matching("checkpoints/", "/README.md").items():
        folder, english = PurePosixPath(path).parent, Document(ROOT / path, text).body.strip()
        for other in (str(folder / file) for file in others):
            if other not in project.texts:
                yield Breach(path, 1, f"has no translation {PurePosixPath(other).name}")
                continue
            translated = project.texts[other].strip()
            if translated == english:
                yield Breach(other, 1, "is in English")
            if not translated.startswith(f"# {folder.name}\n"):
                yield Breach(other, 1, f"does not begin with the heading {folder.name}")
            if translated.count("\n\n") != english.count("\n\n"):
                yield Breach(other, 1, "has another number of paragraphs than README.md")
            for name, difference in differences(english, translated):
                yield Breach(other, 1, f"has other {name} than README.md: {difference}")


def differences(english: str, translated: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the kinds of facts that differ, and those that only one of the texts has."""
    for name, pattern in FACTS.items():
        # Line breaks make no difference.
        one, other = (Counter(pattern.findall(" ".join(text.split()))) for text in (english, translated))
        if one != other:
            yield name, [*(one - other), *(other - one)]

"""Reads the project's Markdown: headings, links, and the blocks of code in it with what they print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
PRINTED = re.compile(r"\n\n```text\n(.*?)^```$", re.M | re.S)
HEADING = re.compile(r"^(#+) (.+)$", re.M)
LINK = re.compile(r"\]\(([^()\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block, and the block of text that follows it at once."""

    language: str  # as the fence says, "" where it says none
    code: str
    line: int  # of the document, where the code begins
    printed: str  # "" where no text follows


@dataclass(frozen=True)
class Document:
    """One Markdown file."""

    path: Path

    @cached_property
    def text(self) -> str:
        """All of it."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def body(self) -> str:
        """What is read: without the YAML header."""
        return re.sub(r"\A---\n.*?^---\n", "", self.text, flags=re.M | re.S)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The fenced blocks, in order."""
        found = []
        for fence in FENCE.finditer(self.text):
            after = PRINTED.match(self.text, fence.end())
            line = self.text[: fence.start(2)].count("\n")
            found.append(Block(fence[1], fence[2], line, after[1] if after else ""))
        return tuple(found)

    @cached_property
    def prose(self) -> str:
        """What stands outside of the fenced blocks."""
        return FENCE.sub("", self.body)

    @property
    def anchors(self) -> set[str]:
        """What `#` can lead to, as GitHub names headings."""
        titles = (re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading[2]) for heading in HEADING.finditer(self.prose))
        return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}

    def links(self) -> Iterator[str]:
        """Where its links and pictures lead, but other sites."""
        for link in LINK.findall(self.prose):
            if "://" not in link:
                yield link

    def section(self, title: str) -> str:
        """The text under a heading, up to the next of its level. Raises ValueError if there is none."""
        for heading in HEADING.finditer(self.text):
            if heading[2] == title:
                rest = self.text[heading.end() :]
                return re.split(rf"^#{{1,{len(heading[1])}}} ", rest, maxsplit=1, flags=re.M)[0]
        raise ValueError(f"{self.path.name} has no heading {title!r}")

    def marked(self, name: str) -> str:
        """What stands between two comments `<!-- name -->`. Raises ValueError where there are not two."""
        _, inside, _ = self.text.split(f"<!-- {name} -->")
        return inside.strip()


def documents() -> list[Document]:
    """What people read: the papers at the top, and the guides."""
    return [Document(path) for path in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))]

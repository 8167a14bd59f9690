"""The project's Markdown files: their headings, links, and blocks of code with their output."""

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
    """A fenced block and its output, the `text` block directly below it."""

    language: str  # the word after the fence, or ""
    code: str
    line: int  # line of the document on which the code begins
    printed: str  # "" if no `text` block follows


@dataclass(frozen=True)
class Document:
    """One Markdown file."""

    path: Path
    content: str | None = None  # None: what the file holds

    @cached_property
    def text(self) -> str:
        """The whole file."""
        return self.path.read_text(encoding="utf-8") if self.content is None else self.content

    @cached_property
    def body(self) -> str:
        """The text without the YAML header."""
        return re.sub(r"\A---\n.*?^---\n", "", self.text, flags=re.M | re.S)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The fenced blocks, in order."""
        blocks = []
        for fence in FENCE.finditer(self.text):
            after = PRINTED.match(self.text, fence.end())
            line = self.text[: fence.start(2)].count("\n")
            blocks.append(Block(fence[1], fence[2], line, after[1] if after else ""))
        return tuple(blocks)

    @cached_property
    def prose(self) -> str:
        """The text outside the fenced blocks."""
        return FENCE.sub("", self.body)

    @property
    def anchors(self) -> set[str]:
        """The anchors that a link can name after `#`, as GitHub derives them from headings."""
        titles = (re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading[2]) for heading in HEADING.finditer(self.prose))
        return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}

    def links(self) -> Iterator[str]:
        """The targets of links and pictures, without those on other sites."""
        yield from (link for link in LINK.findall(self.prose) if "://" not in link)

    def section(self, title: str) -> str:
        """Return the text from a heading to the next one of its level. Raises ValueError without a match."""
        for heading in HEADING.finditer(self.text):
            if heading[2] == title:
                rest = self.text[heading.end() :]
                return re.split(rf"^#{{1,{len(heading[1])}}} ", rest, maxsplit=1, flags=re.M)[0]
        raise ValueError(f"{self.path.name} has no heading {title!r}")

    def marked(self, name: str) -> str:
        """Return the text between two comments `<!-- name -->`. Raises ValueError unless there are two."""
        _, inside, _ = self.text.split(f"<!-- {name} -->")
        return inside.strip()

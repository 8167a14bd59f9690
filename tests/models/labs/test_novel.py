"""The text that ships."""

from __future__ import annotations

from models.labs.training import novel


def test_the_novel_is_complete_and_plain_text() -> None:
    text = novel()
    paragraphs = text.rstrip("\n").split("\n")
    assert paragraphs[0].startswith("Alice was beginning to get very tired of sitting by her sister")
    assert paragraphs[-1].endswith("remembering her own child-life, and the happy summer days.")
    assert text.isascii()
    assert not set("`*_[]") & set(text)
    assert all(paragraph == paragraph.strip() != "" and "  " not in paragraph for paragraph in paragraphs)
    assert len(text) > 140_000

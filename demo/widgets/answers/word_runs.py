"""Runs of words that are the same, added or removed against another text, for the page."""

from __future__ import annotations

from typing import Literal

from demo.widgets.answers.word_diff import split_words, word_diff

Kind = Literal["same", "added", "removed"]


def diff_parts(baseline: str, text: str) -> list[tuple[Kind, str]]:
    """Runs of words in both texts, only in `text`, or only in the baseline, in reading order.

    A run starts with the space before it.
    """
    runs: list[tuple[Kind, str]] = []
    removed, added = "", ""  # words of the current difference

    def end_difference() -> None:
        nonlocal removed, added
        runs.extend((kind, run) for kind, run in (("removed", removed), ("added", added)) if run)  # type: ignore[misc]
        removed, added = "", ""

    for piece in word_diff(split_words(baseline), split_words(text)):
        if piece.kind == "same":
            end_difference()
            earlier = runs.pop()[1] if runs and runs[-1][0] == "same" else ""
            runs.append(("same", earlier + piece.text))
        elif piece.kind == "missing":
            removed += piece.text
        else:
            space = " " if piece.text.startswith(" ") else ""
            removed += f"{space}{piece.was}" if piece.was else ""
            added += piece.text
    end_difference()
    return runs

"""Tokens of the reader's text: five ways to cut it, byte-pair merges one by one, a padded table of ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from demo.i18n import counted, later, listed, quoted, say
from demo.i18n.display import plotly_text
from demo.labs import Lab
from demo.labs.lab_layout import lab_layout
from demo.widgets.answers.content import Cell, Chart, Content, Controls, NotHereError, Program, Table
from demo.widgets.figures.drawing import bar_trace, scatter_trace
from demo.widgets.figures.figure import LIGHT, Figure
from models.labs.subwords import (
    HAS_TOKENIZERS,
    SPECIAL,
    Merge,
    Vocabulary,
    apply_merges,
    batch,
    characters,
    cut_by_method,
    facts_of,
    learn_merges,
    unigram,
    wordpiece,
    words,
)

MAX_MERGES, MAX_LINES, MAX_CHARACTERS = 200, 12, 2_000
SHOWN_MERGES = 8  # merges that a sentence names
LEFT, RIGHT = "left", "right"
# Written for this lab.
TEXT = "the lowest tower\nthe newest and lowest of the towers\nlower, slower, lowest"
WORDPIECE, UNIGRAM = "wordpiece", "unigram"
TOKENIZATIONS = ("characters", "words", "bpe", *((WORDPIECE, UNIGRAM) if HAS_TOKENIZERS else ()))


def compute(controls: Controls) -> Content:
    """Show how many tokens the text becomes, and the table of ids that a network reads."""
    text = controls.text_field("text", say("your lines"), TEXT)
    merges = int(controls.number("merges", say("merges of byte-pair encoding"), 0, MAX_MERGES, 1, 12))
    names = (say("characters"), say("words"), "BPE", "WordPiece", "Unigram")[: len(TOKENIZATIONS)]
    kind = controls.choose(
        "kind", say("tokens in the table"), [*zip(TOKENIZATIONS, names, strict=True)], "bpe"
    )
    longest = int(controls.number("longest", say("longest line, in tokens"), 3, 40, 1, 12))
    sides = [(RIGHT, say("after the text")), (LEFT, say("before the text"))]
    left = controls.choose("padding", say("padding goes"), sides) == LEFT
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    _check(lines)
    learned = learn_merges("\n".join(lines), merges)
    cut = _tokens_by_method(lines, learned)
    counts = [sum(map(len, cut[name])) for name in TOKENIZATIONS]
    vocabulary = Vocabulary.of(cut[kind])
    rows = batch(cut[kind], longest, left=left)
    facts = facts_of(lines, learned, cut, kind, rows)
    return Content(
        [
            _finding(counts, learned),
            _merges_sentence(learned),
            _padding_sentence(rows, facts),
            *(() if HAS_TOKENIZERS else (say("WordPiece and Unigram need the app on your computer."),)),
            say(
                "A caveat: these vocabularies are learnt from a few lines. Those of a real "
                "network come from many thousands, and there frequent words are one token."
            ),
        ],
        [
            Chart("counts", say("Tokens of the same text"), counts_figure(names, counts)),
            Chart("merges", say("BPE, merge by merge"), merges_figure(lines, learned)),
        ],
        _table(rows, vocabulary),
        facts,
        program=Program({"subwords": {kind: cut[kind]} if kind in (WORDPIECE, UNIGRAM) else {}}),
    )


def _check(lines: Sequence[str]) -> None:
    """Raise NotHereError for a text that cannot be cut into tokens, or not at once."""
    if not any(words(line) for line in lines):
        raise NotHereError("no_word_in_lines", "There is no word in your lines. Type a few.")
    if len(lines) > MAX_LINES or sum(map(len, lines)) > MAX_CHARACTERS:
        raise NotHereError(
            "lines_do_not_fit",
            "At most {lines} lines and {count} characters fit here. Take fewer.",
            lines=MAX_LINES,
            count=f"{MAX_CHARACTERS:,}",
        )


def _tokens_by_method(lines: Sequence[str], merges: Sequence[Merge]) -> dict[str, list[list[str]]]:
    """Return the tokens of each line by each method; learnt vocabularies are as large as that of BPE."""
    size = len(SPECIAL) + len({sign for line in lines for sign in characters(line)}) + 1 + len(merges)
    trained = {WORDPIECE: wordpiece, UNIGRAM: unigram} if HAS_TOKENIZERS else {}
    return {
        **cut_by_method(lines, merges),
        **{name: tokenize(lines, size) for name, tokenize in trained.items()},
    }


def counts_figure(names: Sequence[str], counts: Sequence[int]) -> Figure:
    """Draw a bar for each method."""
    bars: dict[str, Any] = bar_trace(
        x=list(names),
        y=list(counts),
        marker={"color": LIGHT.output},
        text=[str(count) for count in counts],
        textposition="outside",
        cliponaxis=False,
        hover="%{x}: %{y}",
    )
    return Figure([bars], _layout({}, 340, max(counts)))


def merges_figure(lines: Sequence[str], merges: Sequence[Merge]) -> Figure:
    """Draw the number of tokens after each merge, with the merge on hover."""
    totals = [
        sum(len(apply_merges(line, merges[:index])) for line in lines) for index in range(len(merges) + 1)
    ]
    line: dict[str, Any] = scatter_trace(
        "lines+markers",
        x=list(range(len(totals))),
        y=totals,
        line={"color": LIGHT.output, "shape": "hv"},
        text=["", *(plotly_text(merge.token, 20) for merge in merges)],
        hover="%{x}: %{text}, %{y}",
    )
    across = {"title": {"text": say("merges")}, "rangemode": "tozero"}
    return Figure([line], _layout(across, 360, max(totals)))


def _layout(across: dict[str, Any], width: int, most: int) -> dict[str, Any]:
    upright = {"title": {"text": say("tokens")}, "range": [0, 1.15 * most]}
    return lab_layout(across, upright, width, height=260, top=24, bottom=44, showlegend=False)


def _finding(counts: Sequence[int], merges: Sequence[Merge]) -> str:
    by_name = dict(zip(TOKENIZATIONS, counts, strict=True))
    return say(
        "Characters in your lines: {characters}. Words and punctuation marks: {words}. "
        "Byte-pair encoding begins with the characters, and each word with a sign of its own; "
        "after {merges} it has {bpe}.",
        characters=by_name["characters"],
        words=by_name["words"],
        bpe=counted(by_name["bpe"], later("1 token"), later("{count} tokens")),
        merges=counted(len(merges), later("1 merge"), later("{count} merges")),
    )


def _merges_sentence(merges: Sequence[Merge]) -> str:
    if not merges:
        return say("No pair of neighbours is merged: every token is one character.")
    first = listed(quoted(merge.token) for merge in merges[:SHOWN_MERGES])
    return say(
        "Each merge joins the most frequent pair of neighbours; {space} begins a word. The "
        "first: {tokens}. The very first pair occurred {count} times.",
        space=quoted("▁"),
        tokens=first,
        count=merges[0].count,
    )


def _padding_sentence(rows: Sequence[Sequence[str]], facts: Mapping[str, float | str]) -> str:
    return say(
        "A network reads lines of one length, here {width}. Padding, which it must ignore: {paddings} of "
        "{whole} tokens; cut off: {cut}. Each number is a place in a vocabulary of {size}.",
        width=counted(len(rows[0]), later("1 token"), later("{count} tokens")),
        paddings=facts["paddings"],
        whole=len(rows) * len(rows[0]),
        cut=facts["cut_off"],
        size=facts["vocabulary"],
    )


def _table(rows: Sequence[Sequence[str]], vocabulary: Vocabulary) -> Table:
    """Return a row for each line, and a cell for each token with its id."""
    cells: list[list[Cell]] = [
        [f"{token} {number}" for token, number in zip(row, vocabulary.ids(row), strict=True)] for row in rows
    ]
    return Table([str(index) for index in range(1, len(rows[0]) + 1)], cells)


LAB = Lab(
    "tokens",
    later("Tokens"),
    later("Into how many pieces is a text cut, and what does a network read of it?"),
    position=10,
    compute=compute,
)

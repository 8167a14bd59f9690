"""The parts of a lesson: steps that open a page state, ask for a prediction and explain the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from demo.i18n import ENGLISH, language, later

Text: TypeAlias = "Mapping[str, str]"  # texts by language code

# In the order of the course, marked by `later`.
CHAPTERS: dict[str, str] = {
    "start": later("Where to begin"),
    "probability": later("Counting and guessing"),
    "text": later("Text as numbers"),
    "recurrent": later("Networks with a memory"),
    "decoder": later("From source to output"),
    "attention": later("Attention"),
    "trust": later("What to believe"),
}


@dataclass(frozen=True)
class LessonOption:
    """One answer that a reader can choose, or one line to put in order."""

    # Of a choice: a condition that holds if it is right. Of an order: the fact that it is sorted by.
    term: str
    text: Text


@dataclass(frozen=True)
class Prediction:
    """The question that the reader answers before the result is shown."""

    kind: str  # choose, order, number, draw or type
    answer: str = ""  # the fact that is predicted; options that are written out hold it themselves
    options: Sequence[LessonOption] = ()
    options_fact: str = ""  # the fact whose values are the options, where they are not written out
    low: float = 0
    high: float = 0  # upper end of a number or of a drawn curve
    resolution: float = 1  # the difference of neighbouring numbers that a reader can choose


@dataclass(frozen=True)
class Expectation:
    """A condition that holds in the state of a step, and the sentence that would be false without it."""

    condition: str
    excerpt: str = ""  # words of a sentence of the English text or reveal; empty: it holds a number


@dataclass(frozen=True)
class GeneralKnowledge:
    """A sentence that no state of the page shows, and where it is written."""

    source: str
    excerpt: str  # words of the sentence, as in an `Expectation`


@dataclass(frozen=True)
class LessonStep:
    """One state of the page, and a text beside it."""

    name: str
    line: int  # line in the file, for error messages
    text: Text
    link: str = ""  # the query of the state that it opens; empty: the page stays as the reader has it
    page_part: str = ""  # the name of the part of the page that it describes, see `evidence.py`
    open_parts: Sequence[str] = ()  # shown before the prediction, when all other results are covered
    prediction: Prediction | None = None
    reveal: Text = field(default_factory=dict)  # may contain facts in braces
    expected: Sequence[Expectation] = ()  # tests hold the state to them
    sourced: Sequence[GeneralKnowledge] = ()  # claims of the literature
    contrasts: Mapping[str, str] = field(
        default_factory=dict
    )  # links that expectations compare with, by name
    done: str = ""  # the reader's task, in the names of a link: `strategy=beam`
    state: str = ""  # the link of this step, or of the last one before it that has one


@dataclass(frozen=True)
class Lesson:
    """One Markdown file."""

    id: str  # the name of its file, in links
    title: Text
    chapter: str
    position: int  # its position in the course, the smallest first
    minutes: int
    steps: Sequence[LessonStep]
    reading: Text = field(default_factory=dict)  # recommended reading
    other_senses: Sequence[str] = ()  # glossary terms that mean something else here: none is marked


def text_of(text: Text) -> str:
    """Return the text in the language of the request, else in English; empty if there is none."""
    return text.get(language(), text.get(ENGLISH, ""))

"""The claims of lessons with their evidence: `python -m tests.demo.learn.lessons.claims` prints a table.

A sentence of a step claims something if it has a word of cause, trend, comparison or quantity, and is no
question, request or conjecture. Quoted words do not count, since they are examples. An `:::expect` or a
`:::known` that names words of the sentence holds it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from demo.learn.lessons import lessons
from demo.learn.lessons.lesson import Lesson, LessonStep

# Words that make a sentence more than a report of one number.
CLAIMING = re.compile(
    r"\b(because|since|this is why|so(?! far| on\b)|therefore|without|each|too|such"
    r"|(?:to|on|at) the (?:left|right)|(?:left|right)-hand|upper|lower"
    r"|most|mostly|more|less|fewer|least|than|always|never"
    r"|only|nothing|nobody|no|none|not|cannot|every|all|any|whatever|whichever|however|hardly|nearly|almost|rarely"
    r"|often|seldom|usually|grows?|grew|rises?|rose|falls?|fell|shrinks?|vanish(?:es)?|explodes?|better|worse"
    r"|best|larger|smaller|higher|longer|shorter|nearer|wider|depends?|causes?|makes?|needs?|helps?"
    r"|enough)\b",
    re.IGNORECASE,
)
QUOTED = re.compile(r"“[^”]*”|“[^”]*$|^[^“]*”")  # a quotation may go over several sentences
REQUEST = re.compile(  # or a conjecture, or advice
    r"(Your turn|Press|Choose|Put|Set|Compare|Find|See|Watch|Shorten|Draw|Try|Take|Clip|Perhaps"
    r"|One might think|Then (choose|train|type|look|try|find))\b"
)
SENTENCE = re.compile(r"(?<=[.!?])[”’)]*\s+(?=[“‘(A-ZÀ-Þ{])")
DOTTED = re.compile(r"\b(et al|vs|e\.g|i\.e|St|Mr)\.\s")
CLAIM, NUMBER, PLAIN = "claim", "number", "plain"

# A source names authors and a year, or a chapter or section of a book by its title, or a reason.
WORK = re.compile(r"[A-ZÀ-Þ][^;]* \(\d{4}[a-z]?\)|[A-ZÀ-Þ][^;“]*, “[^”]+”")
REASON = "By construction: "
# The numbers of chapters change between the editions of a book; a section has a number only in a dated paper.
NUMBERED = re.compile(r"\bchapters? \d|^(?!.*\(\d{4}).*\bsections? \d")


@dataclass(frozen=True)
class Sentence:
    """One English sentence of a step, and what holds it."""

    lesson: str
    step: str
    text: str
    part: str  # text or reveal
    conditions: tuple[str, ...]  # expectations that name it
    sources: tuple[str, ...]  # sources of general knowledge

    @property
    def kind(self) -> str:
        """Return what the sentence does: claim, number (computed, and no claim) or plain."""
        if (
            "?" not in self.text
            and not REQUEST.match(self.text)
            and CLAIMING.search(QUOTED.sub("", self.text))
        ):
            return CLAIM
        return NUMBER if "{" in self.text else PLAIN

    @property
    def is_held(self) -> bool:
        """Return whether an expectation or a source holds the sentence."""
        return bool(self.conditions or self.sources)


def split(text: str) -> list[str]:
    """Return the sentences of an English text."""
    whole = DOTTED.sub(lambda match: match[0].replace(".", "․").replace(" ", "\N{NO-BREAK SPACE}"), text)
    parts = SENTENCE.split(whole)
    return [part.replace("․", ".").replace("\N{NO-BREAK SPACE}", " ") for part in parts if part]


def sentences(lesson: Lesson) -> Iterator[Sentence]:
    """Yield the English sentences of a lesson's steps, with what holds them."""
    for step in lesson.steps:
        for part, text in (("text", step.text), ("reveal", step.reveal)):
            for sentence in split(text.get("en", "")):
                yield Sentence(
                    lesson.id,
                    step.name,
                    sentence,
                    part,
                    tuple(
                        item.condition for item in step.expected if item.excerpt and item.excerpt in sentence
                    ),
                    tuple(item.source for item in step.sourced if item.excerpt in sentence),
                )


def unfound(step: LessonStep) -> list[str]:
    """Return the words named by expectations and sources that stand in no sentence of the step."""
    texts = [*split(step.text["en"]), *split(step.reveal.get("en", ""))]
    named = [item.excerpt for item in (*step.expected, *step.sourced) if item.excerpt]
    return [words for words in named if not any(words in sentence for sentence in texts)]


def uncited(source: str) -> list[str]:
    """Return the parts of a source, between semicolons, that do not say where to look."""
    parts = source.split("; ")
    return [
        part for part in parts if NUMBERED.search(part) or not (part.startswith(REASON) or WORK.match(part))
    ]


def table(names: Sequence[str]) -> Iterator[str]:
    """Yield a line for each lesson, then each sentence of the lessons with these names."""
    yield "| lesson | sentences | claims | held by expectations | general, with a source | open |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    totals: Counter[str] = Counter()
    for lesson in lessons():
        items = list(sentences(lesson))
        claims = [item for item in items if item.kind == CLAIM or item.is_held]
        counts = Counter(
            sentences=len(items),
            claims=len(claims),
            held=sum(bool(item.conditions) for item in claims),
            general=sum(bool(item.sources and not item.conditions) for item in claims),
            open=sum(not item.is_held for item in claims),
        )
        totals += counts
        yield f"| {lesson.id} | {' | '.join(str(counts[name]) for name in ORDER)} |"
    yield f"| all | {' | '.join(str(totals[name]) for name in ORDER)} |"
    for lesson in lessons():
        for item in sentences(lesson) if lesson.id in names else ():
            holds = "; ".join((*item.conditions, *item.sources)) or item.kind
            yield f"{item.lesson}/{item.step} {item.part}: {item.text}\n    {holds}"


ORDER = ("sentences", "claims", "held", "general", "open")

if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in table(sys.argv[1:]))

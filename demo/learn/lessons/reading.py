"""Lessons as Markdown: a head between lines of dashes, then steps that begin with `:::`.

    ---
    title: How much fits into one vector? | ¿Cuánto cabe en un vector? | 一个向量能装下多少？
    chapter: decoder
    place: 110
    minutes: 4
    ---
    :::step first look=output open="?tab=decode&checkpoint=spa-eng-gru&strategy=greedy"
    A text of at most three sentences,
    which may go over several lines.
    es: Un texto.
    zh: 正文。
    :::predict choose
    - [score@1 > score@2] the first | el primero | 第一个 | fr: la première
    :::reveal
    The score is {score@1}.
    es: ...
    :::contrast wide open="?tab=decode&checkpoint=spa-eng-gru&strategy=beam"
    :::expect score < wide.score # the larger score
    :::known Cho et al. (2014) # without attention
    :::done strategy=beam

docs/lessons.md tells what each line means. A language with an incomplete catalogue may lack any text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from demo.i18n import ENGLISH, complete_languages
from demo.learn.lessons.lesson import (
    CHAPTERS,
    Expectation,
    GeneralKnowledge,
    Lesson,
    LessonOption,
    LessonStep,
    Prediction,
    Text,
)

PREDICTION_KINDS = ("choose", "order", "number", "draw", "type")
FINE_RANGE = 2  # the width of a range of numbers that whole ones would not resolve
NAME = re.compile(r"[a-z][a-z0-9-]*")
OPTION = re.compile(r"- (?:\[(.+?)\] )?(.+)")
TRANSLATED = re.compile(r"([a-z]{2,3}):\s*(.*)")
POSITIONS = (ENGLISH, "es", "zh")  # the languages of `a | b | c`; each further one names itself: `| fr: d`


class LessonFormError(ValueError):
    """A file that is not a lesson; the message names the line and the problem."""


@dataclass
class Block:
    """One `:::` line and the lines below it."""

    number: int
    kind: str
    words: list[str]  # words without a name
    named: dict[str, str]  # `name=value`
    rest: str  # the line as it stands, after the kind
    lines: list[str] = field(default_factory=list)

    def fault(self, problem: str) -> LessonFormError:
        """Return an error that names the block's line."""
        return LessonFormError(f"line {self.number}: {problem}")


def read_lesson(name: str, text: str) -> Lesson:
    """Return the lesson of a file called `name`. Raises LessonFormError."""
    head, start = head_of(text.splitlines())
    steps: list[LessonStep] = []
    state = ""
    for blocks in groups_of("step", blocks_of(text.splitlines()[start:], start)):
        step = _step(blocks)
        state = step.link or state
        steps.append(replace(step, state=state))
    if not steps or not steps[0].link:
        raise LessonFormError(f"line {start + 1}: the first step must open a state of the page")
    if len({step.name for step in steps}) < len(steps):
        raise LessonFormError(f"line {start + 1}: two steps have the same name")
    missing = {"title", "chapter", "place", "minutes"} - head.keys()
    if missing or head["chapter"] not in CHAPTERS:
        raise LessonFormError(f"line 1: the header lacks {', '.join(sorted(missing)) or 'a known chapter'}")
    return Lesson(
        name,
        in_languages(head["title"], 1),
        head["chapter"],
        int(head["place"]),
        int(head["minutes"]),
        tuple(steps),
        in_languages(head["reading"], 1) if "reading" in head else {},
        tuple(name.strip() for name in head.get("other_senses", "").split(",") if name.strip()),
    )


def head_of(lines: Sequence[str]) -> tuple[dict[str, str], int]:
    """Return the lines between the first two lines of dashes, and the number of the line after them."""
    if not lines or lines[0].strip() != "---" or "---" not in lines[1:]:
        raise LessonFormError("line 1: a lesson must begin with a header between two lines of ---")
    end = lines.index("---", 1)
    pairs = [line.split(":", 1) for line in lines[1:end] if line.strip()]
    return {name.strip(): value.strip() for name, value in pairs}, end + 1


def blocks_of(lines: Sequence[str], before: int) -> Iterator[Block]:
    """Yield the blocks of a file's lines after its head, which has `before` lines. Raises LessonFormError."""
    block = None
    for number, line in enumerate(lines, before + 1):
        if line.startswith(":::"):
            if block:
                yield block
            kind, _, rest = line[3:].partition(" ")
            parts = [] if kind in {"expect", "known", "done", "source"} else shlex.split(rest)
            named = dict(part.split("=", 1) for part in parts if "=" in part)
            block = Block(number, kind, [part for part in parts if "=" not in part], named, rest.strip())
        elif block:
            block.lines.append(line)
        elif line.strip():
            raise LessonFormError(f"line {number}: text before the first step")
    if block:
        yield block


def groups_of(kind: str, blocks: Iterable[Block]) -> list[list[Block]]:
    """Return each block of a kind with its followers. Raises LessonFormError for one before the first."""
    result: list[list[Block]] = []
    for block in blocks:
        if block.kind == kind:
            result.append([])
        if not result:
            raise block.fault(f"{block.kind} before the first {kind}")
        result[-1].append(block)
    return result


def _step(blocks: Sequence[Block]) -> LessonStep:
    first = blocks[0]
    unknown = first.named.keys() - {"open", "look", "show"}
    if len(first.words) != 1 or not NAME.fullmatch(first.words[0]) or unknown:
        raise first.fault("a step has a name, and may have look=, show= and open=")
    step = LessonStep(
        first.words[0],
        first.number,
        paragraphs(first),
        first.named.get("open", "").removeprefix("?"),
        first.named.get("look", ""),
        tuple(filter(None, first.named.get("show", "").split(","))),
    )
    for block in blocks[1:]:
        if block.kind == "predict":
            step = replace(step, prediction=prediction_of(block))
        elif block.kind == "reveal":
            step = replace(step, reveal=paragraphs(block))
        elif block.kind == "expect":
            condition, _, words = block.rest.partition(" # ")
            step = replace(step, expected=(*step.expected, Expectation(condition.strip(), words.strip())))
        elif block.kind == "known":
            source, _, words = block.rest.partition(" # ")
            if not source.strip() or not words.strip():
                raise block.fault("what is known is written :::known SOURCE # words of the sentence")
            step = replace(step, sourced=(*step.sourced, GeneralKnowledge(source.strip(), words.strip())))
        elif block.kind == "contrast":
            if len(block.words) != 1 or block.named.keys() != {"open"}:
                raise block.fault("a contrast has a name and open=")
            link = block.named["open"].removeprefix("?")
            step = replace(step, contrasts={**step.contrasts, block.words[0]: link})
        elif block.kind == "done":
            step = replace(step, done=block.rest)
        else:
            raise block.fault(
                f"there is no {block.kind}; use step, predict, reveal, contrast, expect, known or done"
            )
    if step.prediction and not step.reveal:
        raise first.fault("a predict block needs a reveal block")
    if step.open_parts and not step.prediction:
        raise first.fault("only a step that asks for a prediction covers the others, and needs show=")
    return step


def prediction_of(block: Block) -> Prediction:
    """Return the question of a block. Raises LessonFormError."""
    unknown = block.named.keys() - {"answer", "of", "low", "high"}
    if len(block.words) != 1 or block.words[0] not in PREDICTION_KINDS or unknown:
        raise block.fault(
            f"a prediction must be one of {', '.join(PREDICTION_KINDS)}, with answer=, of=, low= or high="
        )
    options = []
    for line in filter(str.strip, block.lines):
        result = OPTION.fullmatch(line.strip())
        if not result:
            raise block.fault(f"an option must be written as - [condition] text; got {line!r}")
        options.append(LessonOption(result[1] or "", in_languages(result[2], block.number)))
    kind, options_fact = block.words[0], block.named.get("of", "")
    low, high = (float(block.named.get(name, 0)) for name in ("low", "high"))
    if kind in {"choose", "order"} and bool(options) == bool(options_fact):
        raise block.fault("options must be either written out or taken from a fact")
    if kind == "number" and not low < high:
        raise block.fault("a number needs low= and a larger high=")
    answer = block.named.get("answer", "")
    if kind == "type" and not answer:
        raise block.fault("a typed guess is laid over the distribution that answer= names")
    resolution = 0.01 if high - low <= FINE_RANGE else 0.1 if "." in block.named.get("low", "") else 1
    return Prediction(kind, answer, tuple(options), options_fact, low, high, resolution)


def paragraphs(block: Block) -> Text:
    """Return the paragraphs by language: English first, then each language after its code."""
    result: dict[str, list[str]] = {ENGLISH: []}
    code = ENGLISH
    for line in block.lines:
        if translated := TRANSLATED.match(line):
            code = translated[1]
            result[code] = [translated[2]]
        else:
            result[code].append(line)
    texts = {code: " ".join(" ".join(lines).split()) for code, lines in result.items()}
    return _whole(texts, block.number)


def in_languages(text: str, number: int) -> Text:
    """Read `English | español | 中文 | fr: français`."""
    parts = [part.strip() for part in text.split("|")]
    named = {match[1]: match[2] for part in parts if (match := TRANSLATED.fullmatch(part))}
    unnamed = [part for part in parts if not TRANSLATED.fullmatch(part)]
    return _whole({**dict(zip(POSITIONS, unnamed, strict=False)), **named}, number)


def _whole(texts: Mapping[str, str], number: int) -> Text:
    if lacking := [code for code in complete_languages() if not texts.get(code)]:
        raise LessonFormError(f"line {number}: no text in {', '.join(lacking)}")
    return {code: text for code, text in texts.items() if text}

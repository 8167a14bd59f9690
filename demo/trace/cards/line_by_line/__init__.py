"""The search as a short Python program, executed from the trace line by line; the candidates of a step."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

from demo.i18n import in_page, later, say
from demo.syntax import expression_tree, syntax_tree
from demo.trace.cards.files import constraints
from demo.trace.trace_card import Card
from demo.widgets.figures.trace_figure import HideablePart
from demo.widgets.view.assets import asset
from models.decoding.status import Stop
from models.decoding.strategies import description_of
from models.decoding.strategies.listings import listing
from models.decoding.trace import DecodingTrace

# Fields of Python's syntax tree that nothing here needs.
UNUSED_FIELDS = frozenset(
    {"ctx", "decorator_list", "is_async", "keywords", "kind", "name", "returns", "type_comment"}
)
CONDITION = " ? "
EXPRESSION = re.compile(r"\{([^}]+)\}")


@cache
def sentences() -> dict[str, list[tuple[str, str]]]:
    """The sentences of `sentences.txt` by line of code, each with its condition."""
    lines = (Path(__file__).with_name("sentences.txt")).read_text(encoding="utf-8").splitlines()
    result: dict[str, list[tuple[str, str]]] = {}
    pairs: list[tuple[str, str]] = []
    for line in (line for line in lines if line and not line.startswith("#")):
        if line.startswith(" "):
            condition, _, sentence = line.strip().rpartition(CONDITION)
            pairs.append((condition or "True", sentence))
        else:
            pairs = [] if pairs else pairs  # lines that follow each other share their sentences
            result[line] = pairs
    return result


@cache
def _program(text: str) -> Any:
    return plain(syntax_tree(text).body[0])


@cache
def _expression(code: str) -> Any:
    return plain(expression_tree(code))


def plain(node: Any) -> Any:
    """A syntax tree as plain JSON types, without what is empty; an operator is its name."""
    if isinstance(node, list):
        return [plain(item) for item in node]
    if not isinstance(node, ast.AST):
        return node
    kind = type(node).__name__
    fields = {name: plain(value) for name, value in ast.iter_fields(node) if name not in UNUSED_FIELDS}
    if not fields and not isinstance(node, ast.stmt):
        return kind
    filled = {name: value for name, value in fields.items() if value is not None and value != []}
    line = {"line": node.lineno} if isinstance(node, ast.stmt) else {}
    return {"kind": kind, **line, **filled}


def _listing(trace: DecodingTrace) -> dict[str, Any] | None:
    """The lines of the trace's strategy with their sentences, and the syntax of all expressions in them."""
    if _missing(trace) or (text := listing(trace.strategy)) is None:
        return None
    lines = [{"code": code, "sentences": sentences().get(code.strip(), [])} for code in text.splitlines()]
    pairs = [pair for line in lines for pair in line["sentences"]]
    expressions = {condition for condition, _ in pairs}
    expressions.update(code for _, sentence in pairs for code in EXPRESSION.findall(sentence))
    for line in lines:
        line["sentences"] = [(condition, say(sentence)) for condition, sentence in line["sentences"]]
    syntax = {code: _expression(code) for code in sorted(expressions)}
    return {"lines": lines, "program": _program(text), "syntax": syntax}


def _missing(trace: DecodingTrace) -> str:
    """The reason why no listing finds what the trace has; empty if one does."""
    if trace.words:
        return say("Required words change how the search fills its beam; its lines are not shown.")
    if listing(trace.strategy) is None:
        return say("{strategy} has no listing yet.", strategy=say(description_of(trace.strategy).label))
    if trace.settings.get("repetition_penalty", 1) != 1:
        return say(
            "With a repetition penalty the search ranks by sums that are not shown; its lines are missing."
        )
    return ""


def listing_note(trace: DecodingTrace) -> str:
    """The differences between the listing and the search of this trace."""
    if missing := _missing(trace):
        return missing
    notes = []
    if description_of(trace.strategy).complete:
        notes.append(
            say("The search begins with the bound of a beam search, and these lines with that of the output.")
        )
    if phrases := constraints(trace):
        phrase = "; ".join(phrases)
        notes.append(say("The model's numbers follow the constraints: {constraints}.", constraints=phrase))
    if trace.forced or trace.opening:
        notes.append(say("Where a token is forced, the model gives that token alone."))
    if trace.exploration and trace.exploration.stop is not Stop.COMPLETE:
        notes.append(say("The search was stopped, so its lines end early."))
    if (exploration := trace.exploration) and exploration.recorded < exploration.ranked:
        recorded, ranked = f"{exploration.recorded:,}", f"{exploration.ranked:,}"
        sentence = later("The trace keeps {recorded} of {ranked} prefixes, so lines of others are missing.")
        notes.append(say(sentence, recorded=recorded, ranked=ranked))
    return " ".join(notes)


CARD = Card(
    name="candidates",  # the table at its end; links have this name
    position=52,
    pane="left",
    title="Code",
    html=asset("trace/cards/line_by_line/line_by_line.html"),
    part=HideablePart("candidates", in_page("the search line by line")),
    covers={"edit": ".tv-anew"},
    script="trace/cards/line_by_line/line_by_line.js",
    captions={"listing": listing_note},
    payload={"listing": _listing},
)

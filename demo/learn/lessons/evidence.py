"""Parts of the page that a step may point to, and where the page shows the numbers of its reveal.

A step points to all that a link can hide, and a few more. The numbers stand in a step of the decoding, and in
cards.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

from demo.i18n import ENGLISH, later
from demo.learn.lessons.facts import FACTS, REFERENCED, LessonState
from demo.learn.lessons.lesson import LessonStep
from demo.learn.lessons.terms import BRACES, TermError, value_of
from demo.links.hiding import parts
from demo.syntax import expression_tree
from demo.trace.trace_card import cards

# The card of a fact that the band of the output does not show.
NEXT, ATTENTION, RANKING, WHY, REFERENCE = "next", "attention", "hypotheses", "why", "reference"
CARDS = {
    **dict.fromkeys(("candidate", "candidate_probability", "entropy", "choices", "token_rank"), NEXT),
    **dict.fromkeys(("attention", "attended", "attended_place"), ATTENTION),
    **dict.fromkeys(("outputs", "mass"), RANKING),
}
# Facts that may be about another hypothesis.
RANKED = ("output", "sequence_probability", "log_probability", "score")
# Endings of the facts that Why adds
WHY_ENDINGS = ("_value", "_token")
# Parts that no link hides: label and CSS selector.
UNHIDEABLE_PARTS: dict[str, tuple[str, str]] = {
    "comparison": (later("Comparison"), "#comparison .compare"),
    "lab": (later("Lab"), "#labs .lb-lab"),
    "scored": (later("The reference, scored by the model"), ".cp-verdict"),
    "inspect": (later("Inspect"), "#trace .tv-inspect-card.tv-open"),
    "run": (later("Decode button"), "#run"),
    # The output without the source tokens.
    "strip": (later("the output"), "#trace :is(.tv-result, .tv-strip, .tv-facts, .tv-weights-text)"),
    "quality": (later("Quality against source length"), "#gallery .cg-measured"),
    "gallery": (later("Checkpoints"), "#gallery .gallery"),
}
# The elements to point to where a part is folded away or has no box.
SUBSTITUTES = {"strategy": "#strategy-chip", "settings": "#strategy-chip", "source": "#source"}
# The results of the tabs other than Decode. Of a lab, the settings stay open.
RESULTS = {
    "compare": "#comparison .compare",
    "learn": "#labs .lb-lab :is(.tv-inspect-summary, .tv-inspect-body, .tv-inspect-trust)",
    "checkpoints": "#gallery .cg-measured",
}
# Parts of Decode beside the cards that show something of the result, and the line above the output.
BESIDE_CARDS = ("tokens", "inspect", "captions", "edit", "teach", "downloads")
OUTPUTS = "#trace .tv-result, .results .rs-list"  # the line above the output, and the list of results


def evidence(step: LessonStep, state: LessonState) -> dict[str, Any]:
    """Return the evidence of a reveal: a decoding step (or 0), cards, and the values of its terms.

    The value of a computed term is followed by those that it is computed from.
    """
    terms = [text for text, _ in BRACES.findall(step.reveal.get(ENGLISH, ""))]
    calls = [call for term in terms for call in _facts(term)]
    steps = [number for name, arguments in calls if (number := _step_of(name, arguments))]
    explains = WHY in dict(parse_qsl(step.state)).get("open", "")
    named_cards = [card for name, arguments in calls if (card := _card_of(name, arguments, explains))]
    values = [
        [value for part in (term, *_operands(term)) if (value := _number(part, state))] for term in terms
    ]
    return {"step": steps[0] if steps else 0, "cards": list(dict.fromkeys(named_cards)), "values": values}


def _operands(term: str) -> Iterator[str]:
    """Yield the operands of a computed term that are not constants."""
    node = expression_tree(term)
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        for side in (node.left, node.right):
            if not isinstance(side, ast.Constant):
                yield from (ast.unparse(side), *_operands(ast.unparse(side)))


def _number(term: str, state: LessonState) -> float:
    """Return the value of a term, or 0 if it is not a number that a text could show."""
    try:
        value = value_of(term, state)
    except TermError:  # an operand of `a / b @ 2` alone
        return 0
    return value if isinstance(value, int | float) and math.isfinite(value) else 0


def _facts(term: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the facts in a term, with those of their arguments that are numbers or texts."""
    tree = expression_tree(term)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id, tuple(item.value for item in node.args if isinstance(item, ast.Constant))
        elif isinstance(node, ast.Name) and id(node) not in called:
            yield node.id, ()


def _step_of(name: str, arguments: tuple[Any, ...]) -> int:
    """Return the decoding step that a fact belongs to, or 0."""
    takes_a_step = name in FACTS and FACTS[name].__code__.co_varnames[1:2] == ("step",)
    return int(arguments[0]) if takes_a_step and arguments else 0


def _card_of(name: str, arguments: tuple[Any, ...], explains: bool) -> str:
    if name in REFERENCED:
        return REFERENCE
    if name in FACTS:
        return RANKING if name in RANKED and arguments else CARDS.get(name, "")
    return WHY if explains and name.endswith(WHY_ENDINGS) else ""


def covered_selectors(step: LessonStep) -> str:
    """Return the selectors of all results that a step covers until the prediction. Raises KeyError."""
    tab = dict(parse_qsl(step.state)).get("tab", "decode")
    if tab in RESULTS:
        return RESULTS[tab]
    of_cards = [part.name for card in cards() for part in (card.part, *card.parts) if part is not None]
    if unknown := {*step.open_parts} - {*of_cards, *BESIDE_CARDS}:
        raise KeyError(f"no part of Decode: {sorted(unknown)}")
    closed = [name for name in (*of_cards, *BESIDE_CARDS) if name not in step.open_parts]
    if "output" in closed and "tokens" in step.open_parts:  # its card shows the source tokens too
        closed[closed.index("output")] = "strip"
    covered = [part_named(name)[1] for name in closed]
    return ", ".join([*covered, *(() if "output" in step.open_parts else (OUTPUTS,))])


def part_named(name: str) -> tuple[str, str]:
    """Return the label and the selectors of a part. Raises KeyError for an unknown name."""
    if name in UNHIDEABLE_PARTS:
        return UNHIDEABLE_PARTS[name]
    part = parts()[name]
    substitute = SUBSTITUTES.get(name)
    return part.label, f"{part.selectors}, {substitute}" if substitute else part.selectors

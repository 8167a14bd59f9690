"""The page after a step of a lesson: its texts, marks and facts, computed without a browser."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl

from demo.learn.lessons.evidence import ATTENTION, CARDS, NEXT, RANKED, RANKING, evidence
from demo.learn.lessons.facts import FACTS, REFERENCED, LessonState, path
from demo.learn.lessons.lesson import LessonStep
from demo.learn.lessons.states import chosen_in
from demo.learn.lessons.terms import TermError, fill_in_terms, value_of, value_text
from demo.widgets.answers.content import Cell, Content
from models.decoding.trace import DecodingTrace
from tests.demo.learn.lessons.told_values import facts_of, is_telling, question_of, says, single_value

DRAWN = {"x", "y", "z"}  # keys of a figure whose numbers are bars, points or cells
SAME = 0.00005  # relative difference up to which a drawn number is the answer
PICTURES = {"alignment", "probability_curve"}
MIN_DRAWN = 100  # whole numbers below it are ticks of many axes


@dataclass(frozen=True)
class UncoveredPage:
    """A step after its prediction, when nothing is covered."""

    step: LessonStep
    state: LessonState
    content: Content | None  # of its lab or view of Inspect

    @property
    def link(self) -> dict[str, str]:
        """Return the parameters of the link that is open."""
        return dict(parse_qsl(self.step.state))

    def says(self, value: float | str) -> bool:
        """Return whether a text says a value, or a cell of a table or a mark of a chart has it."""
        return any(says(text, value) for text in self.texts()) or self._has(value)

    def _has(self, value: float | str) -> bool:
        """Return whether a cell of a table, or the length, place or shade of a mark, is a number."""
        if self.content is None or isinstance(value, str):
            return False
        if float(value).is_integer() and abs(value) < MIN_DRAWN:
            return False
        forms = {value_text(value, form) for form in ("", "short", "percent")}
        drawn = (number for chart in self.content.charts for number in _numbers(chart.figure.data))
        return not forms.isdisjoint(map(str, self._cells())) or any(
            math.isclose(value, number, rel_tol=SAME) for number in chain(drawn, self._cells_with_numbers())
        )

    def texts(self) -> Iterator[str]:
        """Yield the texts of the dock, of the lab or view, and of the outputs."""
        yield from self.dock()
        if self.content is not None:
            yield from self.content.sentences
            yield from (chart.title for chart in self.content.charts)
        for trace in self.state.traces:
            for hypothesis in trace.hypotheses if self._is_decoded else trace.hypotheses[:1]:
                yield from (hypothesis.text, value_text(hypothesis.log_prob), value_text(hypothesis.score))
            yield from (value_text(math.exp(node.log_prob), "percent") for node in path(trace))

    def dock(self) -> Iterator[str]:
        """Yield the English texts of the step."""
        yield from (
            fill_in_terms(text["en"], self.state) for text in (self.step.text, self.step.reveal) if text
        )

    def _cells(self) -> Iterator[Cell]:
        if self.content is not None and self.content.table is not None:
            yield from chain(*self.content.table.rows)

    def _cells_with_numbers(self) -> Iterator[float]:
        yield from (cell for cell in self._cells() if isinstance(cell, int | float))

    def shows_fact(self, text: str, other: UncoveredPage) -> bool:
        """Return whether the page shows what a fact names in another state, with the same value."""
        base, _, number = text.partition(" @ ")
        name, arguments = _call(base)
        if name in FACTS and other.state.traces:
            trace = other.state.traces[int(number.split()[0]) - 1 if number else 0]
            is_open = any(_key(one) == _key(trace) for one in self.state.traces)
            return is_open and self._shows_of_trace(name, arguments)
        if name in REFERENCED and not self.state.references:
            return False
        if name not in REFERENCED and not self._has_source_of(name, other):
            return False
        try:
            value = value_of(text, other.state)
            if value != value_of(text, self.state):
                return False
        except TermError:  # the page of this step has no such fact
            return False
        return not (isinstance(value, int | float | str) and is_telling(value)) or self.says(value)

    def _has_source_of(self, name: str, other: UncoveredPage) -> bool:
        """Return whether the same lab, view or card is open that gave the other state a fact."""
        if self.content is None or other.content is None:
            return name in self.state.facts and self.link.get("tab") == other.link.get("tab")
        keys = ("lab", "inspect")
        return [chosen_in(self.link.get(key, ""))[0] for key in keys] == [
            chosen_in(other.link.get(key, ""))[0] for key in keys
        ] and name in {*self.content.facts, *self.content.curves}

    def _shows_of_trace(self, name: str, arguments: Sequence[Any]) -> bool:
        """Return whether the cards on the page show a fact of a trace that is open."""
        card = RANKING if name in RANKED and arguments else CARDS.get(name, "")
        if card in {NEXT, ATTENTION}:
            steps = {int(self.link.get("step", 1)), evidence(self.step, self.state)["step"]}
            return self._is_decoded and bool(arguments) and arguments[0] in steps
        return self._is_decoded or not (card == RANKING or name in PICTURES)

    @property
    def _is_decoded(self) -> bool:
        """Return whether the page shows everything of its one output, and not a comparison."""
        return self.link.get("tab") == "decode"


def facts_to_know(step: LessonStep, state: LessonState) -> list[str]:
    """Return the facts that a reader has to know to answer for sure, without those that the question says."""
    assert step.prediction is not None
    options = [option.term for option in step.prediction.options if option.term]
    terms = [step.prediction.answer] if step.prediction.answer else options
    facts = dict.fromkeys(fact for term in terms for fact in facts_of(term))
    question = question_of(step, state)
    values = {fact: single_value(fact, state) for fact in facts}
    return [fact for fact, value in values.items() if value is None or not says(question, value)]


def _key(trace: DecodingTrace) -> tuple[Any, ...]:
    return trace.checkpoint, trace.source_text, [hypothesis.token_ids for hypothesis in trace.hypotheses]


def _call(text: str) -> tuple[str, list[Any]]:
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id, [item.value for item in node.args if isinstance(item, ast.Constant)]
    return text, []


def _numbers(node: Any, *, is_drawn: bool = False) -> Iterator[float]:
    """Yield the numbers that the traces of a figure draw."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _numbers(value, is_drawn=is_drawn or key in DRAWN)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _numbers(value, is_drawn=is_drawn)
    elif is_drawn and isinstance(node, int | float) and not isinstance(node, bool):
        yield float(node)

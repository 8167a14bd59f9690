"""The states of lessons and the model's answers to predictions.

Whatever has to be computed is computed once for all visitors: thirty pupils predict the same thing.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from demo.learn.lessons.facts import LessonState
from demo.learn.lessons.lesson import Prediction
from demo.learn.lessons.states import state_of
from demo.learn.lessons.terms import TermError, value_of, value_text
from demo.work.context import AppContext
from models.lru_cache import LruCache

Answer: TypeAlias = "dict[str, Any]"
MAX_STATES = 64  # kept, each a few traces


@dataclass
class _CachedState:
    state: LessonState | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)  # held while the state is computed


class States:
    """The states of lessons' links, computed once and kept; concurrent requests share a computation."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._entries: LruCache[str, _CachedState] = LruCache(MAX_STATES)

    def state_of(self, query: str) -> LessonState:
        """Return the state that a link shows. Raises what `state_of` raises."""
        entry = self._entries.get_or_make(query, _CachedState)
        with entry.lock:
            if entry.state is None:
                entry.state = state_of(self._context, query)
            return entry.state


def model_answer(prediction: Prediction, state: LessonState) -> Answer:
    """Return the model's answer in the form of the reader's: an option's index, an order, a number, rows.

    Raises TermError if a fact is missing or no option is right.
    """
    if prediction.kind == "order":
        values = _values(prediction, state)
        order = sorted(range(len(values)), key=lambda index: -values[index])
        return {"answer": order, "shown": [value_text(values[index]) for index in order]}
    if prediction.kind == "choose":
        if prediction.options_fact:
            right, values = value_of(prediction.answer, state), value_of(prediction.options_fact, state)
        else:
            right, values = True, [value_of(option.term, state) for option in prediction.options]
        if right not in values:
            raise TermError(prediction.answer, values)
        return {"answer": values.index(right)}
    result = value_of(prediction.answer, state)
    return (
        {"answer": result, "shown": value_text(result)} if prediction.kind == "number" else {"answer": result}
    )


def _values(prediction: Prediction, state: LessonState) -> list[float]:
    """Return the values by which the lines of an order are sorted."""
    if prediction.options_fact:
        return [float(-index) for index in range(len(value_of(prediction.options_fact, state)))]
    return [value_of(option.term, state) for option in prediction.options]

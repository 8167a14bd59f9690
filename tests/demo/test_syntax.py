"""Syntax trees in a process of many threads."""

from __future__ import annotations

import gc
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from demo.labs.programs import script_of
from demo.learn.lessons.terms import TermError, value_of
from demo.syntax import expression_tree, syntax_tree

LABS = ("attention", "bleu", "masked", "wordvectors")


def _nested(depth: int, lab: str) -> str:
    """Return a program, asked for at some depth of the stack: threads of a server differ in it."""
    return _nested(depth - 1, lab) if depth else script_of(lab)


@pytest.mark.slow
def test_threads_that_parse_at_once_all_get_their_programs() -> None:
    expected = [script_of(lab) for lab in LABS]
    threshold = gc.get_threshold()

    def change_thread(*_: object) -> None:
        time.sleep(0)

    gc.callbacks.append(change_thread)  # a collection may run within the construction of a tree
    gc.set_threshold(50)
    try:
        with ThreadPoolExecutor(4) as pool:
            answers = pool.map(lambda depth: [_nested(depth, lab) for lab in LABS], range(0, 80, 20))
            assert list(answers) == [expected] * 4
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(change_thread)


def test_a_tree_is_refused_for_what_is_not_python() -> None:
    with pytest.raises(SyntaxError):
        syntax_tree("for")
    with pytest.raises(SyntaxError):
        expression_tree("a = 1")
    with pytest.raises(TermError):
        value_of("1 +", None)  # type: ignore[arg-type]


def test_a_lab_that_there_is_not_has_no_program() -> None:
    assert all(map(script_of, LABS))
    assert not script_of("nothing")

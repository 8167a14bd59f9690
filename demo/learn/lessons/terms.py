"""Terms of a lesson: `score@2 - score@1 > 0.5`, and texts with such terms in braces.

A name is a fact of the state (`facts.py`), `@2` asks for that of its second output, `clean.score` for that of
the contrast `clean`. Numbers, texts in quotes, `+ - * /`, comparisons, `and`, `or`, `not` mean what they mean
in Python, whose parser reads them.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from demo.i18n.display import number_text, small_percent_text
from demo.learn.lessons.facts import LessonState, fact
from demo.syntax import expression_tree
from models.errors import UnrolledError

BRACES = re.compile(r"\{([^{}:]+)(?::(\w+))?\}")
ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


class TermError(UnrolledError, ValueError):
    """A term that cannot be read, or that names a fact missing from the state.

    Visitors see this only on a page that lacks some of the shipped checkpoints.
    """

    def __init__(self, term: str, problem: object) -> None:
        super().__init__(
            "lesson_number_missing",
            "A number of this lesson is missing on this page. "
            "Lessons need the checkpoints that the program comes with. ({term}: {problem})",
            term=repr(term),
            problem=str(problem),
        )


def value_of(term: str, state: LessonState) -> Any:
    """Return the value of a term in a state: a number, a text, a truth value, or the data of a picture.

    Raises TermError.
    """
    try:
        return _value(expression_tree(term), state, 1)
    except (SyntaxError, TypeError, KeyError, IndexError, ValueError) as error:
        raise TermError(term, error) from error


def fill_in_terms(text: str, state: LessonState) -> str:
    """Return a text with the values of the terms in its braces. Raises TermError."""
    return BRACES.sub(lambda result: value_text(value_of(result[1], state), result[2] or ""), text)


def has_terms(text: str) -> bool:
    """Return whether a text has terms in braces."""
    return BRACES.search(text) is not None


def value_text(value: Any, form: str = "") -> str:
    """Return a value as text: numbers that are not whole have two decimals, or one if `form` is `short`.

    With `percent` a share of 1 becomes a percentage.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if form == "percent":
        return small_percent_text(value)
    if isinstance(value, int) or (float(value).is_integer() and abs(value) >= 100):
        return str(int(value))
    return number_text(value, 1 if form == "short" else 2)


def _value(node: ast.AST, state: LessonState, which: int) -> Any:
    """Return the value of a node; a name means a fact of output `which`, the first by default."""
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as value):
            return value
        case ast.Name(id=name):
            return fact(state, name, (), which)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return fact(state, name, tuple(_value(arg, state, which) for arg in args), which)
        case ast.Attribute(value=ast.Name(id=contrast), attr=name):
            return fact(state.contrasts[contrast], name, (), which)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=contrast), attr=name), args=args, keywords=[]):
            return _value(ast.Call(ast.Name(name), args, []), state.contrasts[contrast], which)
        case ast.BinOp(left=left, op=ast.MatMult(), right=ast.Constant(value=int() as number)):
            return _value(left, state, number)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in ARITHMETIC:
            return ARITHMETIC[type(sign)](_value(left, state, which), _value(right, state, which))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, state, which)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, state, which)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_value(value, state, which) for value in values)
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(_value(value, state, which) for value in values)
        case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in COMPARISONS:
            return COMPARISONS[type(sign)](_value(left, state, which), _value(right, state, which))
    raise SyntaxError(f"lessons do not support {type(node).__name__}")

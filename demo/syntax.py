"""Syntax trees of Python text, for the programs of labs and the terms of lessons."""

from __future__ import annotations

import ast
from threading import Lock

_ONE_THREAD = Lock()


def syntax_tree(text: str) -> ast.Module:
    """Return the syntax tree of a program. Raises SyntaxError.

    One thread at a time: Python before 3.11.8 and 3.12.2 counts the depth of all threads together and raises
    a SystemError if two of them build trees at once (CPython issue 106905).
    """
    with _ONE_THREAD:
        return ast.parse(text)


def expression_tree(text: str) -> ast.expr:
    """Return the syntax tree of an expression, as `syntax_tree` does. Raises SyntaxError."""
    with _ONE_THREAD:
        return ast.parse(text.strip(), mode="eval").body

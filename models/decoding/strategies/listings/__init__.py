"""The listing of a strategy: its search as a short Python function, which the page shows and steps through.

`NAME.py` holds one function, the search of the strategy NAME, in the words of the literature. Its arguments
are settings of a trace, `model` and helpers; `helpers.py` has those that need no model. A search that runs
has `model.next(prefix)`, the pairs (token, log-probability) best first, and `model.end`, the end token. The
page executes the same function with a model that answers from the trace, so it evaluates only the part of
Python that `demo/trace/cards/line_by_line/evaluate.js` names. A list is never shared by two variables.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent
HELPERS = "helpers"
# Fields of Python's syntax tree that a listing does not need.
IGNORED = {
    "ctx",
    "decorator_list",
    "is_async",
    "keywords",
    "kind",
    "name",
    "returns",
    "type_comment",
    "type_params",
}


class Listing(NamedTuple):
    """The function of a strategy."""

    text: str  # its lines
    program: dict[str, Any]  # its syntax tree: for each node its `kind`, its first `line` and its fields


@cache
def listing(strategy: str) -> Listing | None:
    """The listing of a strategy; None if it has none, or if a trace names no strategy."""
    path = FOLDER / f"{strategy}.py"
    if strategy == HELPERS or not re.fullmatch("[a-z][a-z0-9_]*", strategy) or not path.is_file():
        return None
    module = path.read_text(encoding="utf-8")
    text = module[module.index("def ") :].rstrip()
    return Listing(text, plain(ast.parse(text).body[0]))


def plain(node: Any) -> Any:
    """A syntax tree as plain JSON types, without what is empty; an operator is its name."""
    if isinstance(node, list):
        return [plain(item) for item in node]
    if not isinstance(node, ast.AST):
        return node
    kind = type(node).__name__
    fields = {name: plain(value) for name, value in ast.iter_fields(node) if name not in IGNORED}
    if not fields and not isinstance(node, ast.stmt):
        return kind
    given = {name: value for name, value in fields.items() if value is not None and value != []}
    line = {"line": node.lineno} if isinstance(node, ast.stmt) else {}
    return {"kind": kind, **line, **given}

"""The listing of a strategy: its search as a short Python function, which the page shows and steps through.

`NAME.py` holds one function, the search of the strategy NAME, in the words of the literature. Its arguments
are settings of a trace, `model` and functions; `operations.py` has functions that need no model. A run has
`model.next(prefix)`, the pairs (token, log-probability) best first, and `model.end`, the end token. The page
executes the same function with a model that answers from the trace, so it evaluates only the part of Python
that `demo/trace/cards/line_by_line/evaluate.js` names. A list is never shared by two variables.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
OPERATIONS = "operations"


@cache
def listing(strategy: str) -> str | None:
    """The lines of the function of a strategy; None if it has none, or if a trace names no strategy."""
    path = FOLDER / f"{strategy}.py"
    if strategy == OPERATIONS or not re.fullmatch("[a-z][a-z0-9_]*", strategy) or not path.is_file():
        return None
    module = path.read_text(encoding="utf-8")
    return module[module.index("def ") :].rstrip()

"""Numbers that people read are written by `demo/i18n/display.py` and `demo/widgets/view/numbers.js` alone.

So a probability, a score or a count looks the same in every view. Whole numbers, `{count:,}`, are exempt, and
so are numbers for style sheets and programs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.lint.project import Breach, Project, line_at

WRITERS = ("demo/i18n/display.py", "demo/widgets/view/numbers.js")
# Programs for readers, and a progress on the terminal.
EXEMPT = ("demo/inspect/program/pytorch/", "demo/static/models/")
DECIMALS = re.compile(r"[fgeGEF%]$")
IN_SCRIPT = re.compile(r"\.(?:toFixed|toPrecision|toExponential|toLocaleString)\(")
# A style, or a value that is rounded, not written.
ROUNDED = re.compile(r"setProperty\(|color-mix\(|\+[\w.]+\.toFixed|Number\(")
ROUNDING = {"float", "Decimal"}


def numbers_in_python_have_one_format(project: Project) -> Iterator[Breach]:
    """Yield the f-strings that format a number with decimals, but are not read as a number again."""
    for path, module in project.modules("demo/").items():
        if path.startswith((*WRITERS, *EXEMPT)):
            continue
        rounded = {
            argument
            for call in module.nodes(ast.Call)
            if isinstance(call.func, ast.Name) and call.func.id in ROUNDING
            for argument in call.args
        }
        for text in module.nodes(ast.JoinedStr):
            specs = [part.format_spec for part in text.values if isinstance(part, ast.FormattedValue)]
            if text not in rounded and any(map(_has_decimals, specs)):
                yield Breach(path, text.lineno, "formats a number: let `demo.i18n.display` do it")


def numbers_in_scripts_have_one_format(project: Project) -> Iterator[Breach]:
    for path, text in project.matching("demo/", ".js").items():
        if path.startswith((*WRITERS, *EXEMPT)):
            continue
        lines = text.splitlines()
        for match in IN_SCRIPT.finditer(text):
            line = line_at(text, match.start())
            if not ROUNDED.search(lines[line - 1]):
                yield Breach(path, line, "formats a number: let `widgets/view/numbers.js` do it")


def _has_decimals(spec: ast.expr | None) -> bool:
    last = spec.values[-1] if isinstance(spec, ast.JoinedStr) and spec.values else None
    return isinstance(last, ast.Constant) and DECIMALS.search(str(last.value)) is not None

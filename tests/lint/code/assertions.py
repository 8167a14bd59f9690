"""Rules for assertions: no clock, no wording, no pattern that matches everything, no count of a registry."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.lint.code.confined import dotted
from tests.lint.project import Findings, each_module
from tests.messages import error_classes
from tests.source_modules import Module, within

CLOCKS = ("monotonic", "perf_counter", "process_time", "thread_time", "time.time", "now", "utcnow", "today")
CLOCK = re.compile("|".join(map(re.escape, CLOCKS)))
# Benchmarks measure time, and some stand-ins simulate it. A server that does not start ends the whole session
# and not a single test.
READ_CLOCKS = ("tests.benchmarks", "tests.fakes", "tests.browser.conftest")
WORDS = re.compile(r"[A-Za-z]*[a-z],? [a-z]{2,}")  # two words of a sentence
# The end of an expression that is the text of an error; a call such as `message_text(...)` may enclose it.
OF_AN_ERROR = re.compile(r"(\.reason|\['(refused|error)'\]|\.sentence\(\)|\.stderr|str\(\w+\.value\))\)*$")
# Registries to which new features are added, by the names that tests import.
GROWING = ("names", "lessons", "cards", "presets", "settings", "ENDPOINTS", "SETTINGS", "TABS", "LANGUAGES")
MEMBERS = re.compile(r"takes \d+ (values|arguments)|nth-[a-z-]+\((n \+ )?\d+\)")


@each_module("tests/")
def reads_no_clock(module: Module) -> Findings:
    """Yield assertions and loops that compare with a time or with a variable that holds one."""
    if any(within(module.name, exempt) for exempt in READ_CLOCKS) or not CLOCK.search(module.text):
        return
    for function in module.nodes(ast.FunctionDef):
        timed: set[str] = set()
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and _is_timed(node.value, timed):
                timed |= {name.id for target in node.targets for name in _names(target)}
        for node in ast.walk(function):
            if isinstance(node, ast.Assert | ast.While) and _is_timed(node.test, timed):
                yield node, "depends on the clock: count work, or wait for an event"


def _is_timed(node: ast.expr, timed: set[str]) -> bool:
    calls = (ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call))
    read = any(call == clock or call.endswith(f".{clock}") for call in calls for clock in CLOCKS)
    return read or any(name.id in timed for name in _names(node))


def _names(node: ast.expr) -> Iterator[ast.Name]:
    yield from (descendant for descendant in ast.walk(node) if isinstance(descendant, ast.Name))


@each_module("tests/")
def matches_no_error_of_ours(module: Module) -> Findings:
    for call, _ in _raises(module):
        if call.args and {name.id for name in _names(call.args[0])} & error_classes():
            yield call, "matches words: use `refused` with the code of the error"


@each_module("tests/")
def matches_no_words(module: Module) -> Findings:
    for call, patterns in _raises(module):
        for pattern in patterns:
            if WORDS.search(pattern):
                yield call, f"matches words: {pattern!r}; match a name or a number of the call"


@each_module("tests/")
def matches_not_everything(module: Module) -> Findings:
    for call, patterns in _raises(module):
        for pattern in patterns:
            if re.search(pattern.replace("\0", "x"), "") is not None:
                yield call, f"matches any text: {pattern!r}"


@each_module("tests/")
def asserts_no_words_of_an_error(module: Module) -> Findings:
    """Yield assertions that search an error with `in` for words, also by a variable or a table of cases."""
    for function in module.nodes(ast.FunctionDef):
        for node in ast.walk(function):
            if isinstance(node, ast.Assert):
                for words in _words_in_errors(node, function):
                    yield node, f"hangs on words: {words!r}; use `says` with the code, or a value"


def _words_in_errors(node: ast.Assert, function: ast.FunctionDef) -> Iterator[str]:
    for comparison in ast.walk(node.test):
        if isinstance(comparison, ast.Compare) and isinstance(comparison.ops[0], ast.In):
            searched = _source(comparison.comparators[0], function)
            if any(OF_AN_ERROR.search(ast.unparse(expression)) for expression in searched):
                texts = _texts(comparison.left, function)
                yield from (text for text in texts if WORDS.search(re.sub(" *\0 *", " ", text)))


def _source(value: ast.expr, function: ast.FunctionDef) -> Iterator[ast.expr]:
    """Yield an expression and, if it is a variable, the values assigned to it."""
    yield value
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == ast.unparse(value):
            yield node.value


def _raises(module: Module) -> Iterator[tuple[ast.Call, list[str]]]:
    """Yield each call with `match` and its patterns, which may come from a table of cases."""
    for function in module.nodes(ast.FunctionDef) if "match=" in module.text else ():
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and dotted(call.func) in {"pytest.raises", "pytest.warns"}:
                values = [keyword.value for keyword in call.keywords if keyword.arg == "match"]
                if values:
                    yield call, [text for value in values for text in _texts(value, function)]


def _texts(value: ast.expr, function: ast.FunctionDef) -> Iterator[str]:
    if isinstance(value, ast.Constant):
        yield str(value.value)
    elif isinstance(value, ast.JoinedStr):
        parts = (str(part.value) if isinstance(part, ast.Constant) else "\0" for part in value.values)
        yield "".join(parts)
    elif isinstance(value, ast.Name):
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and any(name.id == value.id for name in _names(node.targets[0])):
                yield from _texts(node.value, function)
        for rows, column in _tables(function, value.id):
            for row in rows:
                cell = row.elts[column] if isinstance(row, ast.Tuple) else row
                yield from _texts(cell, function)


def _tables(function: ast.FunctionDef, name: str) -> Iterator[tuple[list[ast.expr], int]]:
    """Yield the rows of each table of cases that fills a parameter, and the parameter's column."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.parametrize":
            titles, rows = decorator.args[:2]
            cells = titles.elts if isinstance(titles, ast.Tuple | ast.List) else [titles]
            names = [cell.value for cell in cells if isinstance(cell, ast.Constant)]
            if name in names and isinstance(rows, ast.List | ast.Tuple):
                yield rows.elts, names.index(name)


@each_module("tests/")
def counts_nothing_that_grows(module: Module) -> Findings:
    if within(module.name, "tests.lint.planted"):
        return
    for node in module.nodes(ast.Compare):
        if _is_number_of_members(node):
            yield node, f"counts members: {ast.unparse(node)}"
    for node in module.nodes(ast.Constant):
        if isinstance(node.value, str) and MEMBERS.search(node.value):
            yield node, f"counts members: {node.value!r}"
    for node in module.nodes(ast.Call) if ".nth(" in module.text else ():
        if re.search(r"\.nth\(.*\.count\(\)", ast.unparse(node)):
            yield node, f"counts from the end: {ast.unparse(node)}; use a label"


def _is_number_of_members(node: ast.Compare) -> bool:
    """Whether the length of a registry is compared with a number by `==`."""
    numbers = [value for value in node.comparators if isinstance(value, ast.Constant)]
    if not (numbers and isinstance(node.ops[0], ast.Eq) and isinstance(node.left, ast.Call)):
        return False
    length = re.fullmatch(r"len\((?:\w+\.)?(\w+)(\(\))?\)", ast.unparse(node.left))
    return length is not None and length[1] in GROWING

"""Rules for assertions: no clock, no wording, no pattern that matches everything, no count of a registry."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

import pytest

from tests.messages import error_classes
from tests.source_modules import Module, sources, within

CLOCKS = ("monotonic", "perf_counter", "process_time", "thread_time", "time.time", "now", "utcnow", "today")
# Benchmarks measure time, and some stand-ins simulate it. A server that does not start ends the whole session
# and not a single test.
READ_CLOCKS = ("tests.benchmarks", "tests.fakes", "tests.browser.conftest")
WORDS = re.compile(r"[A-Za-z]*[a-z],? [a-z]{2,}")  # two words of a sentence
# The end of an expression that is the text of an error; a call such as `message_text(...)` may enclose it.
OF_AN_ERROR = re.compile(r"(\.reason|\['(refused|error)'\]|\.sentence\(\)|\.stderr|str\(\w+\.value\))\)*$")
# Registries to which new features are added, by the names that tests import.
GROWING = (
    "names",
    "lessons",
    "cards",
    "presets",
    "settings",
    "ENDPOINTS",
    "SETTINGS",
    "TABS",
    "LANGUAGES",
)
MEMBERS = re.compile(r"takes \d+ (values|arguments)|nth-[a-z-]+\((n \+ )?\d+\)")


def functions(module: Module) -> Iterator[ast.FunctionDef]:
    yield from (node for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef))


def reads_a_clock(module: Module) -> Iterator[str]:
    """Yield assertions and loops that compare with a time or with a variable that holds one."""
    if any(within(module.name, exempt) for exempt in READ_CLOCKS):
        return
    for function in functions(module):
        timed: set[str] = set()
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and _is_timed(node.value, timed):
                timed |= {name.id for target in node.targets for name in _names(target)}
        for node in ast.walk(function):
            if isinstance(node, ast.Assert | ast.While) and _is_timed(node.test, timed):
                yield f"{module.name}:{node.lineno} depends on the clock: count work, or wait for an event"


def _is_timed(node: ast.expr, timed: set[str]) -> bool:
    calls = (ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call))
    read = any(call == clock or call.endswith(f".{clock}") for call in calls for clock in CLOCKS)
    return read or any(name.id in timed for name in _names(node))


def _names(node: ast.expr) -> Iterator[ast.Name]:
    yield from (descendant for descendant in ast.walk(node) if isinstance(descendant, ast.Name))


def matches_a_library_error(module: Module) -> Iterator[str]:
    for call, _ in _raises(module):
        if call.args and {name.id for name in _names(call.args[0])} & error_classes():
            yield f"{module.name}:{call.lineno} matches words: use `refused` with the code of the error"


def matches_words(module: Module) -> Iterator[str]:
    for call, patterns in _raises(module):
        for pattern in patterns:
            if WORDS.search(pattern):
                position = f"{module.name}:{call.lineno}"
                yield f"{position} matches words: {pattern!r}; match a name or a number of the call"


def matches_all(module: Module) -> Iterator[str]:
    for call, patterns in _raises(module):
        yield from (
            f"{module.name}:{call.lineno} matches any text: {pattern!r}"
            for pattern in patterns
            if re.search(pattern.replace("\0", "x"), "") is not None
        )


def asserts_words_of_an_error(module: Module) -> Iterator[str]:
    """Yield assertions that search an error with `in` for words, also by a variable or a table of cases."""
    for function in functions(module):
        for node in ast.walk(function):
            if isinstance(node, ast.Assert):
                for words in _words_in_errors(node, function):
                    position = f"{module.name}:{node.lineno}"
                    yield f"{position} hangs on words: {words!r}; use `says` with the code, or a value"


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
    for function in functions(module):
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and ast.unparse(call.func) in {"pytest.raises", "pytest.warns"}:
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


def counts_what_grows(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        position = f"{module.name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Compare) and _is_number_of_members(node):
            yield f"{position} counts members: {ast.unparse(node)}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and MEMBERS.search(node.value):
            yield f"{position} counts members: {node.value!r}"
        elif isinstance(node, ast.Call) and re.search(r"\.nth\(.*\.count\(\)", ast.unparse(node)):
            yield f"{position} counts from the end: {ast.unparse(node)}; use a label"


def _is_number_of_members(node: ast.Compare) -> bool:
    """Whether the length of a registry is compared with a number by `==`."""
    numbers = [value for value in node.comparators if isinstance(value, ast.Constant)]
    length = re.fullmatch(r"len\((?:\w+\.)?(\w+)(\(\))?\)", ast.unparse(node.left))
    return bool(numbers and length and length[1] in GROWING and isinstance(node.ops[0], ast.Eq))


Rule = Callable[[Module], Iterator[str]]
RULES: tuple[Rule, ...] = (
    reads_a_clock,
    matches_a_library_error,
    matches_words,
    matches_all,
    asserts_words_of_an_error,
    counts_what_grows,
)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_tests_keep_the_rule(rule: Rule) -> None:
    modules = [module for module in sources("tests") if module.name != __name__]
    breaches = [breach for module in modules for breach in rule(module)]
    assert not breaches, "\n".join(breaches)


RAISES = "def test_x():\n    with pytest.raises(ValueError, match={pattern}):\n        f()"
TABLE = """
@pytest.mark.parametrize(("value", "pattern"), [(1, "size"), (2, {cell})])
def test_x(value, pattern):
    with pytest.raises(ValueError, match=pattern):
        f(value)
"""
IN_ERROR = "def test_x():\n    assert {words} in {error}"
IN_TABLE = """
@pytest.mark.parametrize(("value", "told"), [(1, "size"), (2, "size must be even")])
def test_x(value, told):
    assert told in ask(value)["refused"]
"""
BREACHES: tuple[tuple[Rule, str], ...] = (
    (reads_a_clock, "def test_x():\n    start = time.monotonic()\n    assert time.monotonic() - start < 5"),
    (reads_a_clock, "def test_x():\n    took = perf_counter() - 1\n    assert took < 5"),
    (reads_a_clock, "def test_x():\n    end = time.time() + 5\n    while end > time.time():\n        pass"),
    (reads_a_clock, "def test_x():\n    assert found.time <= datetime.now(timezone.utc)"),
    (
        matches_a_library_error,
        RAISES.format(pattern='"line 3"').replace("ValueError", "DataError"),
    ),
    (
        matches_words,
        RAISES.format(pattern='"must be between"'),
    ),
    (
        matches_words,
        RAISES.format(pattern='f"{name} is not here"'),
    ),
    (matches_words, TABLE.format(cell='"size must be even"')),
    (matches_all, RAISES.format(pattern='""')),
    (matches_all, RAISES.format(pattern='"size|"')),
    (matches_all, RAISES.format(pattern='".*"')),
    (matches_all, TABLE.format(cell='""')),
    (asserts_words_of_an_error, IN_ERROR.format(words='"cannot be read"', error="failed.reason")),
    (asserts_words_of_an_error, IN_ERROR.format(words='f"has {n} words"', error='ask(n)["refused"]')),
    (asserts_words_of_an_error, IN_ERROR.format(words='"too long"', error='answer["error"]')),
    (asserts_words_of_an_error, IN_ERROR.format(words='"taken away"', error="run.sentence()")),
    (asserts_words_of_an_error, IN_ERROR.format(words='"cannot be read"', error="done.stderr")),
    (asserts_words_of_an_error, IN_ERROR.format(words='"cannot be read"', error="str(caught.value)")),
    (asserts_words_of_an_error, IN_ERROR.format(words='"too long"', error="message_text(job.reason)")),
    (
        asserts_words_of_an_error,
        'def test_x():\n    why = ask(1)["refused"]\n    assert "too long" in why',
    ),
    (asserts_words_of_an_error, IN_TABLE),
    (counts_what_grows, "assert len(names()) == 9"),
    (counts_what_grows, "assert len(demo.lessons()) == 14"),
    (counts_what_grows, 'assert "This call takes 24 values" in answer'),
    (counts_what_grows, 'assert "nth-of-type(n + 7)" in rules'),
    (counts_what_grows, "options.nth(options.count() - 2).click()"),
)


@pytest.mark.parametrize(("rule", "text"), BREACHES)
def test_a_planted_breach_is_noticed(rule: Rule, text: str) -> None:
    assert list(rule(Module("tests.test_planted", text)))


def test_every_rule_has_a_planted_breach() -> None:
    assert {rule for rule, _ in BREACHES} == set(RULES)


@pytest.mark.parametrize(
    "text",
    [
        "def test_x():\n    run.write(heartbeat=time.time())\n    assert run.state() is LOST",
        RAISES.format(pattern='"max_length"'),
        RAISES.format(pattern='r"\\b3\\b.*beam_size"'),
        "def test_x():\n    with pytest.raises(AppError, match=wording(code, **fields)):\n        f()",
        TABLE.format(cell='"beam_size"'),
        IN_ERROR.format(words='"beam_size"', error="done.stderr"),
        IN_ERROR.format(words='"a shorter row"', error='answer["told"]'),
        "assert len(found) == 3",
        "assert len(names()) == len(forms)",
        "tokens.nth(3).click()",
    ],
)
def test_a_sound_assertion_is_accepted(text: str) -> None:
    assert [breach for rule in RULES for breach in rule(Module("tests.test_honest", text))] == []

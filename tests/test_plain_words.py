"""The lint for plain words finds each kind of fault in a sample, and none in a plain one."""

from __future__ import annotations

import pytest

from tests.plain_words import (
    class_findings,
    constant_findings,
    python_findings,
    script_findings,
    undocumented,
)


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ('"""What it is for."""', "1: docstring begins with 'What'"),
        ('def f():\n    """Of each row the best."""', "1: docstring begins with 'Of'"),
        ('class Row:\n    """\n    For a table.\n    """', "1: docstring begins with 'For'"),
        ("found = 1", "1: name 'found'"),
        ("def f(asked, _told=1): ...", "1: name 'asked'"),
        ("def f(asked, _told=1): ...", "1: name '_told'"),
        ("total = 0\nfor each in []:\n    total += each", "2: name 'each'"),
        ("async def chosen(): ...", "1: name 'chosen'"),
        ("class Known: ...", "1: name 'Known'"),
        ("OWN = 1", "1: name 'OWN'"),
        ("MOST = 1", "1: name 'MOST'"),
        ("_LEAST_ROWS = 1", "1: name '_LEAST_ROWS'"),
        ("def asked_options(): ...", "1: name 'asked_options'"),
        ("def rest(): ...", "1: name 'rest'"),
        ("def _joined(pairs): ...", "1: name '_joined'"),
        ("class A:\n    @cache\n    async def opened(self): ...", "3: name 'opened'"),
        ("def test_a_full_line_says_so(): ...", "1: name 'test_a_full_line_says_so'"),
        ("def test_it_works(): ...", "1: name 'test_it_works'"),
        ("def test_a_layer_equals_torch_s(): ...", "1: name 'test_a_layer_equals_torch_s'"),
        ("def test_a_delay_is_told_at_once(): ...", "1: name 'test_a_delay_is_told_at_once'"),
        (
            'def f():\
    """See `g`; in nats."""',
            "1: docstring refers to another, without saying what this does",
        ),
        ("class Row:\n    step: int = 1  # of the teacher", "2: comment continues the name 'step'"),
        ("MAX_SECONDS = 5  # for one decoding", "1: comment begins with 'for'"),
        ("# Rows of the table.\n# They go on.\nx = 1  # which is odd", "3: comment begins with 'which'"),
        ("ROOM = 5", "1: name 'ROOM'"),
        ("said = 1", "1: name 'said'"),
        ("MANY = 100", "1: name 'MANY'"),
        ('class Row:\n    """Its cells."""', "1: docstring begins with 'Its'"),
        ('"""Rows. Knows no torch."""', "1: docstring says 'Knows no'"),
        ('"""A sum may differ from 1 by so much."""', "1: docstring says 'so much'"),
        ('"""The first row; None without one."""', "1: docstring says 'None without one'"),
        ("WIDTH = 3  # means over so many rows", "1: comment says 'so many'"),
        ('"""Rows: loads neither torch nor Gradio."""', "1: docstring says 'loads neither'"),
        ('TEXT = "The header is no YAML."', "1: sentence says 'is no '"),
        ('say(f"Decode {token} anew.")', "1: sentence says 'anew'"),
    ],
)
def test_a_docstring_or_name_of_a_python_file_is_found(text: str, finding: str) -> None:
    assert f"demo/sample.py:{finding}" in list(python_findings("demo/sample.py", text))


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("const found = 1;", "1: name 'found'"),
        ("let a;\nfor (const each of rows) draw(each);", "2: name 'each'"),
        ("rows.map(each => each.id)", "1: name 'each'"),
        ("rows.map((row, at) => at)", "1: name 'at'"),
        ("function told(text) {}", "1: name 'told'"),
        ("async function look() {}", "1: name 'look'"),
        ("const MOST_ROWS = 1;", "1: name 'MOST_ROWS'"),
        ("let row = 0; // of the table", "1: comment begins with 'of'"),
        ("export async function fetched(file) {}", "1: name 'fetched'"),
        ("const joined = async (one, other) => one;", "1: name 'joined'"),
        ("const held = null;", "1: name 'held'"),
        (" * @property {string[]} [told]", "1: name 'told'"),
        ('make("p", "ev-told");', "1: name 'told'"),
    ],
)
def test_a_name_of_a_script_is_found(text: str, finding: str) -> None:
    assert f"demo/sample.js:{finding}" in list(script_findings("demo/sample.js", text))


def test_a_class_name_of_two_modules_is_found() -> None:
    texts = {"demo/one.py": "class Report: ...", "models/two.py": "x = 1\nclass _Report: ..."}
    assert list(class_findings(texts)) == ["demo/one.py:1: class 'Report' is also in models/two.py:2"]
    assert list(class_findings({**texts, "demo/one.py": "class Answer: ..."})) == []
    assert (
        list(class_findings({"tests/one.py": "class Report: ...", "demo/two.py": "class Report: ..."})) == []
    )


def test_a_constant_of_two_modules_of_models_is_found() -> None:
    texts = {"models/one.py": "x, LAST = 1, 2", "models/two.py": "_LAST: int = 1"}
    assert list(constant_findings(texts)) == ["models/one.py:1: constant 'LAST' is also in models/two.py:1"]
    assert list(constant_findings({"models/one.py": "T = 1", "models/two.py": "T = 1"})) == []
    assert list(constant_findings({"models/one.py": "LAST = 1\nLAST = 2", "demo/two.py": "LAST = 1"})) == []


def test_some_names_are_vague_in_models_only() -> None:
    assert list(python_findings("models/sample.py", "theirs = 1")) == ["models/sample.py:1: name 'theirs'"]
    assert list(python_findings("demo/sample.py", "theirs = 1")) == []


def test_tests_use_the_plain_names_of_the_product() -> None:
    path = "tests/test_sample.py"
    assert list(python_findings(path, "wanted = 1")) == [f"{path}:1: name 'wanted'"]
    assert list(python_findings(path, "expected = 1")) == []


def test_a_public_method_without_a_docstring_is_found_unless_it_overrides_one_with_a_docstring() -> None:
    base = 'class Base:\n    def best(self):\n        """Return the best row."""\n'
    derived = "class Derived(Base):\n    def best(self): ...\n    def worst(self): ...\n"
    texts = {"models/base.py": base, "demo/derived.py": derived}
    assert list(undocumented(texts)) == ["demo/derived.py:3: method 'worst' has no docstring"]
    alone = {"demo/derived.py": derived, "tests/derived.py": derived}
    assert [line.split()[2] for line in undocumented(alone)] == ["'best'", "'worst'"]
    protocol = {"models/base.py": base.replace("Base:", "Base(Protocol):"), "demo/derived.py": derived}
    assert list(undocumented(protocol)) == list(undocumented(texts))
    private = {"demo/derived.py": derived.replace("class ", "class _").replace("(Base)", "")}
    assert list(undocumented(private)) == []


def test_a_value_may_be_named_by_a_participle() -> None:
    module = "@property\ndef finished(self): ...\n@_fact\ndef pruned(self): ...\njoined = 1\n"
    assert list(python_findings("demo/sample.py", module)) == []
    assert list(python_findings("demo/sample.py", "def seed(): ...\ndef is_finished(): ...")) == []
    assert list(python_findings("tests/sample.py", "def joined(): ...")) == []
    assert list(script_findings("demo/sample.js", "const joined = join(rows.map((row) => row.id));")) == []


def test_plain_samples_have_no_findings() -> None:
    module = (
        '"""Rows of a table."""\n\n\ndef best(rows):\n    """Return the best row."""\n    return max(rows)\n'
    )
    assert list(python_findings("demo/sample.py", module)) == []
    assert (
        list(python_findings("demo/sample.py", "class Row:\n    step: int  # the teacher's step, of two"))
        == []
    )
    assert list(python_findings("demo/sample.py", "row.found = shown(at=place)")) == []  # names of others
    assert (
        list(python_findings("demo/sample.py", 'say("There is no key, and none is no longer here.")')) == []
    )
    script = "// found: each at its place\nconst rows = data.map(row => row.found);"
    assert list(script_findings("demo/sample.js", script)) == []

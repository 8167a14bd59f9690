"""Planted breaches of the rules for plain words."""

from __future__ import annotations

from tests.lint.planted import Planted, Sound
from tests.lint.project import Rule
from tests.lint.words import names, sentences

PRODUCT, SCRIPT = "demo/sample.py", "demo/sample.js"
BASE = 'class Base:\n    def best(self):\n        """Return the best row."""\n'
DERIVED = "class Derived(Base):\n    def best(self): ...\n    def worst(self): ..."
PROTOCOL = BASE.replace("Base:", "Base(Protocol):")
PRIVATE = DERIVED.replace("class ", "class _").replace("(Base)", "")

NAMES_OF_TESTS = (
    *("test_a_full_line_says_so", "test_it_works", "test_a_layer_equals_torch_s"),
    "test_a_delay_is_told_at_once",
)
FAULTS: dict[Rule, dict[str, tuple[str, ...]]] = {
    names.names_are_plain: {
        PRODUCT: (
            *("found = 1", "OWN = 1", "MOST = 1", "_LEAST_ROWS = 1", "ROOM = 5", "said = 1", "MANY = 100"),
            *(
                "def f(asked): ...",
                "def f(token, _told=1): ...",
                "async def chosen(): ...",
                "class Known: ...",
            ),
            *("def asked_options(): ...", "def rest(): ...", "def _joined(pairs): ..."),
            *(
                "total = 0\nfor each in []: total += each",
                "class A:\n    @cache\n    async def opened(self): ...",
            ),
        ),
        "tests/test_sample.py": ("wanted = 1", *(f"def {name}(): ..." for name in NAMES_OF_TESTS)),
        "models/sample.py": ("theirs = 1",),
    },
    names.names_of_scripts_are_plain: {
        SCRIPT: (
            *(
                "const found = 1;",
                "let a;\nfor (const each of rows) draw(each);",
                "rows.map(each => each.id)",
            ),
            *("rows.map((row, at) => at)", "function told(text) {}", "async function look() {}"),
            *("const MOST_ROWS = 1;", "export async function fetched(file) {}", "const held = null;"),
            "const joined = async (one, other) => one;",
        )
    },
    names.no_property_or_class_is_a_speech_act: {
        SCRIPT: (" * @property {string[]} [told]", 'make("p", "ev-told");')
    },
    sentences.docstrings_are_plain: {
        "tests/sample.py": (
            '"""What it is for."""',
            '"""Rows. Knows no torch."""',
            '"""Rows: loads neither torch nor Gradio."""',
            'def f(): """Of each row the best."""',
            'def f(): """See `g`; in nats."""',
        )
    },
    sentences.docstrings_of_the_product_name_things: {
        PRODUCT: (
            'class Row: """Its cells."""',
            '"""A sum may differ from 1 by so much."""',
            '"""The first row; None without one."""',
        )
    },
    sentences.comments_are_plain: {
        PRODUCT: (
            "MAX_SECONDS = 5  # for one decoding",
            "# Rows of the table.\n# They go on.\nx = 1  # which is odd",
            "WIDTH = 3  # means over so many rows",
        ),
        SCRIPT: ("let row = 0; // of the table",),
    },
    sentences.no_comment_continues_a_name: {PRODUCT: ("class Row:\n    step: int = 1  # of the teacher",)},
    sentences.sentences_are_plain: {
        PRODUCT: ('TEXT = "The header is no YAML."', 'say(f"Decode {token} anew.")')
    },
    sentences.public_methods_have_docstrings: {PRODUCT: (DERIVED,)},
}
BREACHES: tuple[Planted, ...] = (
    *(
        (rule, path, text)
        for rule, files in FAULTS.items()
        for path, texts in files.items()
        for text in texts
    ),
    (
        sentences.docstrings_are_plain,
        {PRODUCT: 'class Row:\n    """\n    For a table.\n    """'},
        "1: docstring begins with 'For'",
    ),
    (
        sentences.public_methods_have_docstrings,
        {"models/base.py": BASE, PRODUCT: DERIVED},
        "3: method 'worst' has no docstring",
    ),
    (
        names.each_class_has_a_name_of_its_own,
        {"demo/one.py": "class Report: ...", "models/two.py": "x = 1\nclass _Report: ..."},
        "1: class 'Report' is also in models/two.py:2",
    ),
    (
        names.each_constant_of_models_has_a_name_of_its_own,
        {"models/one.py": "x, LAST = 1, 2", "models/two.py": "_LAST: int = 1"},
        "1: constant 'LAST' is also in models/two.py:1",
    ),
)
SOUND: tuple[Sound, ...] = tuple(
    ("words", texts)
    for texts in (
        {"demo/one.py": "class Answer: ...", "models/two.py": "class _Report: ..."},
        {"tests/one.py": "class Report: ...", "demo/two.py": "class Report: ..."},
        {"models/one.py": "T = 1", "models/two.py": "T = 1"},
        {"models/one.py": "LAST = 1\nLAST = 2", "demo/two.py": "LAST = 1"},
        {"demo/sample.py": "theirs = 1", "tests/test_sample.py": "expected = 1"},
        {"models/base.py": BASE, "demo/derived.py": DERIVED.replace("worst", "_worst")},
        {"models/base.py": PROTOCOL, "demo/other.py": DERIVED.replace("worst", "best").replace("(Base)", "")},
        {"demo/derived.py": PRIVATE},
        {"tests/derived.py": DERIVED},
        {PRODUCT: "@property\ndef finished(self): ...\n@_fact\ndef pruned(self): ...\njoined = 1\n"},
        {PRODUCT: "def seed(): ...\ndef is_finished(): ..."},
        {"tests/sample.py": "def joined(): ..."},
        {SCRIPT: "const joined = join(rows.map((row) => row.id));"},
        {PRODUCT: '"""Rows."""\ndef best(rows):\n    """Return the best row."""\n    return max(rows)\n'},
        {PRODUCT: "class Row:\n    step: int  # the teacher's step, of two"},
        {PRODUCT: "row.found = shown(at=place)"},  # names of others
        {PRODUCT: 'say("There is no key, and none is no longer here.")'},
        {SCRIPT: "// found: each at its place\nconst rows = data.map(row => row.found);"},
    )
)

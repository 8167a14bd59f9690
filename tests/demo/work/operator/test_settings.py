"""The operator's settings from environment variables, all of which docs/settings.md names."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from demo.work.operator.settings import TABS, OperatorSettings, ServerSettings
from models.environment import SettingError, Variable, read
from models.setting import settings_of
from tests.environment_settings import OWNERS
from tests.refusals import Refusal, refused
from tests.source_modules import sources

ROOT = Path(__file__).parents[4]
VARIABLE = re.compile(r"\bUNROLLED_[A-Z][A-Z_]*[A-Z]\b")
NUMBERS = [variable for variable in settings_of(OperatorSettings).values() if variable.kind is int]


def test_unset_variables_give_the_defaults() -> None:
    assert read(OperatorSettings, {}) == OperatorSettings()
    assert read(OperatorSettings, {"UNROLLED_TABS": " ", "UNROLLED_QUEUE": ""}) == OperatorSettings()


def test_every_default_is_one_that_may_be_set() -> None:
    numbers = {number.variable: number.default for number in NUMBERS}
    assert len(numbers) >= 10
    assert (
        read(OperatorSettings, {name: f" {value:_} " for name, value in numbers.items()})
        == OperatorSettings()
    )


@pytest.mark.slow
@pytest.mark.parametrize("settings", OWNERS, ids=lambda settings: settings.__name__)
def test_every_variable_is_read_by_the_code(settings: type) -> None:
    start = ast.parse((ROOT / "app.py").read_text("utf-8"))
    trees = [start, *(module.tree for module in sources("demo", "models"))]
    used = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    idle = [variable.variable for name, variable in settings_of(settings).items() if name not in used]
    assert idle == [], "nothing reads these: demo/work/operator/caps.py hands on what the page obeys"


@pytest.mark.parametrize("cap", NUMBERS, ids=lambda cap: cap.name)
def test_a_cap_is_limited_to_its_bounds(cap: Variable) -> None:
    low, high = int(cap.low or 0), int(cap.high or 0)
    for value in (low, high):
        assert getattr(read(OperatorSettings, {cap.variable: str(value)}), cap.name) == value
    for value in (low - 1, high + 1):
        with refused(SettingError, "not_whole_within", cap.variable, f"{low:,}"):
            read(OperatorSettings, {cap.variable: str(value)})


def test_a_space_is_served_on_every_address(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(ServerSettings, {}) == ServerSettings("127.0.0.1", 7860, False)
    monkeypatch.setenv("SPACE_ID", "someone/space")
    assert read(ServerSettings, {"PORT": "80", "UNROLLED_MCP": "1"}) == ServerSettings("0.0.0.0", 80, True)
    assert read(ServerSettings, {"HOST": "192.0.2.1"}).host == "192.0.2.1"


def test_hosts_are_names_without_scheme_and_port() -> None:
    assert read(ServerSettings, {"UNROLLED_HOSTS": " Example.org, b.test "}).hosts == (
        "example.org",
        "b.test",
    )
    for text in ("https://example.org", "example.org:443", "*", "a b"):
        with refused(SettingError, "not_of_its_sort", "UNROLLED_HOSTS"):
            read(ServerSettings, {"UNROLLED_HOSTS": text})


@pytest.mark.parametrize(
    ("text", "tabs"),
    [
        ("", TABS),
        ("decode", ("decode",)),
        ("compare", ("decode", "compare")),
        (" Checkpoints, DECODE ,", ("decode", "checkpoints")),
        ("training,compare", ("decode", "compare", "training")),
    ],
)
def test_tabs_are_shown_in_their_own_order_and_decode_always(text: str, tabs: tuple[str, ...]) -> None:
    assert read(OperatorSettings, {"UNROLLED_TABS": text}).tabs == tabs


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        (
            "decode,train",
            ("not_a_list_of", "decode, compare, evaluate, checkpoints, training, learn", "decode,train"),
        ),
        ("decode,training", ("training_without_compare",)),
    ],
)
def test_tabs_that_cannot_be_shown_are_named(text: str, refusal: Refusal) -> None:
    with refused(SettingError, *refusal):
        read(OperatorSettings, {"UNROLLED_TABS": text})


@pytest.mark.slow
def test_a_typing_error_ends_the_start_with_one_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env={**os.environ, "UNROLLED_DEADLINE": "forever"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr == "UNROLLED_DEADLINE must be a whole number from 1 to 60; got 'forever'.\n"


@pytest.mark.slow
def test_caps_reach_checks_and_widgets() -> None:
    """Settings are read once, so a new process reads them."""
    program = """
from pathlib import Path
import sys
from demo.work.errors import sentence
from demo.work.requests.checks import check_text
from demo.work.context import AppContext
from demo.page.interface import build_demo
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import decoding_options, default_options
from demo.work.watch import Watch
from models.registry.registry import Registry
print(default_options().max_length, Watch().seconds)
for bad in (lambda: check_text("x" * 101), lambda: decoding_options({"beam_size": 9})):
    try:
        bad()
    except RequestError as error:
        print(sentence(error))
page = build_demo(AppContext(Registry(Path(sys.argv[1])), "cpu"), ("decode",))
sliders = {block.label: block.maximum for block in page.blocks.values() if hasattr(block, "maximum")}
print(sliders["Beam size"], sliders["Maximum length"], sliders["Samples"])
print([block.id for block in page.blocks.values() if type(block).__name__ == "Tab"])
"""
    small = {"CHARACTERS": "100", "BEAM_SIZE": "8", "OUTPUT_TOKENS": "30", "SAMPLES": "16"}
    environment = {**os.environ, **{f"UNROLLED_MAX_{name}": value for name, value in small.items()}}
    done = subprocess.run(
        [sys.executable, "-c", program, str(ROOT / "checkpoints")],
        cwd=ROOT,
        env={**environment, "UNROLLED_DEADLINE": "3"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == [
        "30 3.0",
        "The text has 101 characters; the limit is 100. Shorten it.",
        "beam_size must be a whole number from 1 to 8; got 9.",
        "8 30 16",
        "['decode']",
    ], done.stderr


def test_every_variable_that_the_code_names_is_declared() -> None:
    paths = [ROOT / "app.py", *(ROOT / "demo").rglob("*.py"), *(ROOT / "models").rglob("*.py")]
    named = {name for path in paths for name in VARIABLE.findall(path.read_text(encoding="utf-8"))}
    declared = [variable.variable for owner in OWNERS for variable in settings_of(owner).values()]
    assert named <= set(declared), "name its settings class in tests/environment_settings.py"
    assert len(declared) == len(set(declared))

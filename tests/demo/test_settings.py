"""What an operator may settle by environment variables, and that the README tells of all of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from demo.settings import NUMBERS, TABS, OperatorSettings, SettingsError

ROOT = Path(__file__).parents[2]
VARIABLE = re.compile(r"\bUNROLLED_[A-Z][A-Z_]*[A-Z]\b")


def test_nothing_set_is_the_default() -> None:
    assert OperatorSettings.from_environment({}) == OperatorSettings()
    assert (
        OperatorSettings.from_environment({"UNROLLED_TABS": " ", "UNROLLED_QUEUE": ""}) == OperatorSettings()
    )


def test_every_default_is_one_that_may_be_set() -> None:
    for name, allowed in NUMBERS.items():
        value = getattr(OperatorSettings(), name)
        assert OperatorSettings.from_environment({allowed.variable: f" {value:_} "}) == OperatorSettings()


@pytest.mark.parametrize(("name", "allowed"), NUMBERS.items())
def test_a_cap_holds_between_its_bounds_and_no_further(name: str, allowed: object) -> None:
    variable, low, high = NUMBERS[name].variable, NUMBERS[name].low, NUMBERS[name].high
    for value in (low, high):
        assert getattr(OperatorSettings.from_environment({variable: str(value)}), name) == value
    for value in (low - 1, high + 1):
        with pytest.raises(SettingsError, match=f"{variable} must be a whole number from {low:,} to"):
            OperatorSettings.from_environment({variable: str(value)})


@pytest.mark.parametrize("text", ["ten", "1.5", "1e3", "-4", "٣٣", "9" * 5000, "0x20"])
def test_what_is_no_whole_number_is_named(text: str) -> None:
    with pytest.raises(
        SettingsError, match=r"UNROLLED_QUEUE must be a whole number from 1 to 200; got '"
    ) as no:
        OperatorSettings.from_environment({"UNROLLED_QUEUE": text})
    assert len(str(no.value)) < 120


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
    assert OperatorSettings.from_environment({"UNROLLED_TABS": text}).tabs == tabs


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("decode,train", "must name some of decode, compare, checkpoints, training; got 'train'"),
        ("decode,training", "must name compare beside training"),
    ],
)
def test_tabs_that_cannot_be_shown_are_named(text: str, sentence: str) -> None:
    with pytest.raises(SettingsError, match=f"UNROLLED_TABS {sentence}"):
        OperatorSettings.from_environment({"UNROLLED_TABS": text})


def test_a_typing_error_ends_the_start_with_one_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env={**os.environ, "UNROLLED_DEADLINE": "forever"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr == "UNROLLED_DEADLINE must be a whole number from 1 to 60; got 'forever'.\n"


def test_caps_reach_checks_and_widgets() -> None:
    """In a process of their own, since they are read once."""
    program = """
from pathlib import Path
import sys
from demo.checks import check_text
from demo.context import AppContext
from demo.interface import build_demo
from demo.request import RequestError
from demo.strategy import StrategySettings
from demo.watch import Watch
from models.registry.registry import Registry
print(StrategySettings().max_length, Watch().seconds)
for bad in (lambda: check_text("x" * 101), lambda: StrategySettings(beam_size=9)):
    try:
        bad()
    except RequestError as error:
        print(error)
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
        timeout=60,
    )
    assert done.stdout.splitlines() == [
        "30 3.0",
        "The text has 101 characters; the limit is 100. Shorten it.",
        "beam_size must be a whole number from 1 to 8; got 9.",
        "8 30 16",
        "['decode']",
    ], done.stderr


def test_the_readme_tells_of_every_variable_and_of_no_other() -> None:
    paths = [ROOT / "app.py", *(ROOT / "demo").rglob("*.py"), *(ROOT / "models").rglob("*.py")]
    known = {name for path in paths for name in VARIABLE.findall(path.read_text(encoding="utf-8"))}
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Settings\n")[1].split("\n## ")[0]
    rows = {line.split("`")[1] for line in section.splitlines() if line.startswith("| `UNROLLED_")}
    assert known
    assert known <= rows, f"the README's table lacks {sorted(known - rows)}"
    assert rows <= known, f"the README tells of {sorted(rows - known)}, which nothing reads"

"""The program of a lab has the settings on show, and prints the numbers on show."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from demo.answers.controls import Controls
from demo.controls.labs import on_script
from demo.labs import labs
from demo.labs.scripts import script_of, without_constant
from demo.service.context import AppContext
from demo.service.lab_networks import networks_of
from models.registry.registry import Registry
from tests.fakes.processes.programs import run_script_here
from tests.source_modules import ROOT

TOLERANCE = 1e-5
# Settings beside those that a lab begins with; its program is run with each of them.
SETTINGS: dict[str, tuple[dict[str, str | float], ...]] = {
    "attention": (
        *({"kernel": kernel} for kernel in ("boxcar", "epanechnikov", "triangular")),
        {"query": 0.3, "bandwidth": 1.4},
        {"query": 2.8, "kernel": "boxcar", "bandwidth": 0.4},
        {"text": "1 2; 3,5 4\n7 -1"},
        *({"shown": "words", "kernel": kernel} for kernel in ("gaussian", "boxcar", "triangular")),
        {"shown": "words", "word": "cat", "kernel": "epanechnikov", "bandwidth": 2.5},
        {"shown": "words", "words": "one uno; two dos; ona uno", "word": "Ona"},
        *({"shown": "scores", "score": score} for score in ("dot", "scaled_dot", "general", "additive")),
        {"shown": "scores", "width": "256", "keys": 3, "seed": 8},
    ),
    "autoregression": (
        *({"signal": name} for name in ("fast", "two", "square", "walk")),
        {"noise": 0.5, "tau": 3, "k": 1, "read": 400, "seed": 12},
    ),
    "bleu": (
        *({"smoothing": name, "orders": "3"} for name in ("floor", "add-k", "none")),
        {"tokenizer": "none", "output": "a cat, it is.", "orders": "2"},
        {"tokenizer": "char", "output": "a cat", "reference": "the cat"},
        {
            "output": "It costs $5, 3.5 or 2-3 (about).",
            "reference": "It costs $5, 3.5 or 2-3.",
            "second": "It's $5",
        },
        {"output": "a dog", "reference": "the cat sat", "orders": "1"},
        {"output": "dogs bark", "reference": "the cat sat"},
    ),
    "ngrams": (
        *({"order": order} for order in ("1", "3", "4")),
        {"order": "2", "alpha": 0},
        {"alpha": 0.5, "direction": "backward", "order": "3"},
        {"text": 'One two. Two "one"!\nThree', "sentence": "two four"},
    ),
    "positions": (
        *(
            {"mask": mask, "positions": kind}
            for mask in ("encoder", "prefix")
            for kind in ("sinusoidal", "none")
        ),
        {"mask": "prefix", "prefix": 2, "changed": 1},
        {"text": "the dog bites the man. Twice", "changed": 6, "positions": "none"},
        {"shown": "encoding"},
        {"shown": "encoding", "width": 64},
    ),
    "tokens": (
        {"merges": 0},
        {"merges": 200, "kind": "words", "padding": "left"},
        {"kind": "characters", "longest": 40},
        {"text": "aaaa, aaa\n\n  Señor\taa 犬 ", "longest": 5},
    ),
}
CASES = [
    pytest.param(lab.name, options, id=f"{lab.name}-{number}")
    for lab in labs()
    for number, options in enumerate(({}, *SETTINGS.get(lab.name, ())))
    if lab.trains is None or lab.name == "positions"
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_program_prints_the_numbers_on_show(
    name: str, options: dict[str, str | float], tmp_path: Path
) -> None:
    """Labs that train have tests of their own: a program cannot print the end of a training."""
    lab = next(lab for lab in labs() if lab.name == name)
    networks = networks_of(AppContext(Registry(ROOT / "checkpoints"), "cpu"))
    controls = Controls(options=options, networks=networks)
    facts = lab.compute(controls).facts
    assert not {*without_constant(name, controls.controls)} & options.keys()
    program = tmp_path / f"{name}.py"
    program.write_text(script_of(name, controls.controls), encoding="utf-8")
    printed = dict(line.split(maxsplit=1) for line in run_script_here(program).splitlines() if line.strip())
    assert printed, f"{name} prints none of {sorted(facts)}"
    assert printed.keys() <= facts.keys(), "the program prints numbers that the lab does not show"
    for fact, text in printed.items():
        expected = facts[fact]
        if isinstance(expected, str):
            assert text == expected
        else:
            assert float(text) == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE), fact


def test_a_setting_that_a_program_has_not_is_told() -> None:
    note = on_script({"lab": "tokens", "options": {"kind": "wordpiece"}})["note"]
    assert "tokens in the table" in note
    assert "note" not in on_script({"lab": "tokens", "options": {"kind": "words", "merges": 3}})
    assert "first updates" in on_script({"lab": "charrnn"})["note"]
    assert on_script({"lab": "none"}) == {"script": ""}


def test_a_value_with_quotes_and_breaks_stays_one_value() -> None:
    text = 'a "b"\n# c = \\ d'
    controls = Controls(options={"text": text})
    next(lab for lab in labs() if lab.name == "ngrams").compute(controls)
    script = script_of("ngrams", controls.controls)
    values = [
        node.value
        for node in ast.parse(script).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TEXT"
    ]
    assert [ast.literal_eval(value) for value in values] == [text]

"""The program of a lab has the current settings and prints the current numbers."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from demo.labs import labs
from demo.labs.programs import script_of
from demo.learn.lab_answers import Subject, on_script
from demo.widgets.answers.content import Controls
from tests.demo.labs.cases import Case, every_setting
from tests.demo.labs.programs.runs import ProgramComparison, compared
from tests.demo.labs.small_network import small_networks
from tests.demo.labs.trained import result_of

TOLERANCE = 1e-5
AFTER_TRAINING = (
    1e-3  # of what was learnt: rounding errors grow with each update, and the page shows two digits
)
NAMES = [lab.name for lab in labs()]
TRAINING = [lab.name for lab in labs() if lab.training is not None]
UPDATES = 5  # of a sample
# A sample of settings: each choice that has its own lines in a program.
SAMPLE = (
    *(Case(name, {}) for name in NAMES),
    *(Case(name, {}, UPDATES) for name in TRAINING if name != "positions"),
    Case("attention", {"kernel": "boxcar", "query": 2.8, "bandwidth": 0.4}),
    Case("attention", {"text": "1 2; 3,5 4\n7 -1", "kernel": "triangular"}),
    Case("attention", {"shown": "words", "words": "one uno; two dos; ona uno", "word": "Ona"}),
    Case("attention", {"shown": "scores", "score": "additive", "width": "256", "keys": 3, "seed": 8}),
    Case("autoregression", {"signal": "walk", "noise": 0.5, "tau": 3, "k": 1, "read": 400, "seed": 12}),
    Case("bleu", {"tokenizer": "char", "output": "a cat", "reference": "the cat"}),
    Case(
        "bleu", {"output": "It costs $5, 3.5 or 2-3 (about).", "reference": "It costs $5", "second": "It's 5"}
    ),
    Case("bleu", {"output": "dogs bark", "reference": "the cat sat", "smoothing": "floor"}),
    Case("charrnn", {"cell": "lstm", "layers": "2", "truncation": "truncated", "every": 7}, UPDATES),
    Case("charrnn", {"cell": "gru", "truncation": "randomised", "kept": 0.3, "clipping": "off"}, UPDATES),
    Case("charrnn", {"text": "El niño, 犬. " * 50}, UPDATES),
    Case("forcing", {"checkpoint": "spa-eng-transformer", "schedule": "inverse_sigmoid", "done": 75}),
    Case("forcing", {"checkpoint": "spa-eng-gru-context", "given": 3, "schedule": "exponential"}),
    Case("forcing", {"checkpoint": "reverse-lstm", "text": "hola", "reference": "aloh", "start": 0.5}),
    Case("lookup", {"checkpoint": "reverse-gru", "table": "source", "about": "pad"}),
    Case("lookup", {"checkpoint": "shapes-captioner"}),
    Case("masked", {"unit": "characters", "layers": "2", "sentence": "the q_een of"}, UPDATES),
    Case("ngrams", {"alpha": 0.5, "direction": "backward", "order": "3"}),
    Case("ngrams", {"text": 'One two. Two "one"!\nThree', "sentence": "two four", "order": "2", "alpha": 0}),
    Case("positions", {"mask": "prefix", "prefix": 2, "changed": 1, "positions": "none"}),
    Case("positions", {"shown": "encoding", "width": 64}),
    Case("positions", {"shown": "training", "layer": "2", "mask": "prefix"}, UPDATES),
    Case("tokens", {"kind": "wordpiece", "longest": 5, "padding": "left"}),
    Case("tokens", {"text": "aaaa, aaa\n\n  Señor\taa 犬 ", "merges": 200}),
    Case("wordvectors", {"method": "counts", "window": 2}),
    Case("wordvectors", {"method": "cbow", "loss": "softmax", "word": "queen"}, UPDATES),
    Case("wordvectors", {"text": "a b. b c. c a", "noise": 2}, UPDATES),
)


def check(case: Case, result: ProgramComparison) -> None:
    facts, printed = result.facts, result.printed
    assert "raised" not in printed, printed["raised"]
    assert not result.lacks, f"{case} lacks these settings"
    assert printed, f"{case} prints none of {sorted(facts)}"
    assert printed.keys() <= facts.keys(), "the program prints numbers that the lab does not show"
    tolerance = AFTER_TRAINING if case.steps is None else TOLERANCE
    for fact, text in printed.items():
        expected = facts[fact]
        if isinstance(expected, str):
            assert text == expected, f"{case}: {fact}"
        else:
            assert float(text) == pytest.approx(expected, rel=tolerance, abs=tolerance), f"{case}: {fact}"


@pytest.mark.full
@pytest.mark.slow
def test_programs_print_the_numbers_on_show(tmp_path: Path) -> None:
    """One test, since one child process runs all of them."""
    assert {case.lab for case in SAMPLE} == {*NAMES}
    for case, result in zip(SAMPLE, compared(SAMPLE, tmp_path), strict=True):
        check(case, result)


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_program_prints_the_numbers_of_every_setting(name: str, tmp_path: Path) -> None:
    """Trainings are cut short here: each setting shows in the first updates."""
    cases = [*every_setting(name, UPDATES if name in TRAINING else 0)]
    for case, result in zip(cases, compared(cases, tmp_path), strict=True):
        check(case, result)


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("name", TRAINING)
def test_a_program_prints_the_numbers_after_the_whole_training(name: str, tmp_path: Path) -> None:
    case = Case(name, {"shown": "training"} if name == "positions" else {}, None)
    check(case, *compared([case], tmp_path))


def test_a_program_makes_the_updates_of_the_readers_training() -> None:
    class Training:
        def result(self, subject: Subject) -> object:
            return result_of("wordvectors", UPDATES + 1) if subject.session == "theirs" else None

    request = {"lab": "wordvectors"}
    assert "\nUPDATES = 0 " in on_script(request, Training(), "other")["script"]
    assert f"\nUPDATES = {UPDATES} " in on_script(request, Training(), "theirs")["script"]


def test_a_program_names_a_checkpoint_that_it_cannot_read() -> None:
    note = on_script({"lab": "lookup", "options": {"checkpoint": "letters"}}, networks=small_networks())[
        "note"
    ]
    assert "network" in note
    assert "note" not in on_script({"lab": "tokens", "options": {"kind": "wordpiece", "merges": 3}})
    assert on_script({"lab": "none"}) == {"script": ""}


def test_a_value_with_quotes_and_line_breaks_stays_one_value() -> None:
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

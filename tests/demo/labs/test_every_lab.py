"""Laws of all labs: any input gets an answer that the page can show."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from demo.i18n import in_language
from demo.labs import labs
from demo.learn.lab_answers import on_lab
from demo.widgets.answers.content import Controls, NotHereError, as_sent
from demo.widgets.figures.figure import Figure
from models.labs.training import memory_bytes
from tests.demo.labs.small_network import small_networks
from tests.demo.labs.trained import result_of, trained
from tests.demo.widgets.figures.figure_check import checked
from tests.grids import full_only
from tests.messages import says

NAMES = [lab.name for lab in labs()]
TRAINING = [lab.name for lab in labs() if lab.training is not None]
LARGEST = 4 << 20  # bytes that one visitor's training may leave in memory
every_lab = pytest.mark.parametrize("name", NAMES)
ODD = ("", " .,", "hola", "<script>alert(1)</script> <b>", "𝕏 … 中文", "1 2 nan inf 1e999", "a " * 2400, 1e99)


def ask(name: str, **options: Any) -> dict[str, Any]:
    """Ask a lab as the page's script does."""
    answer = on_lab({"lab": name, "options": options}, networks=small_networks())
    json.dumps(answer, allow_nan=False)  # as it is sent
    return answer


def check(answer: dict[str, Any]) -> None:
    """Check that an answer has its controls, and a reason or valid charts."""
    assert len({control["name"] for control in answer["controls"]}) == len(answer["controls"]) > 0
    if "refused" in answer:
        assert len(answer["refused"].split()) > 3
        return
    assert all(sentence.strip() for sentence in answer["sentences"])
    assert answer["charts"] or answer["table"]
    for chart in answer["charts"]:
        checked(Figure(chart["data"], chart["layout"]))
        assert chart["title"]
        assert min(chart["layout"]["meta"]["min_width"], chart["layout"]["height"]) > 0
        assert "<script" not in str(chart)
    table = answer["table"]
    assert table is None or all(len(row) == len(table["head"]) for row in table["rows"])


def answer_after(name: str, steps: int, **options: Any) -> dict[str, Any]:
    """Return a lab's answer after some steps of its training, or why it cannot be trained."""
    try:
        answer = as_sent(trained(name, steps, **options), [])
    except NotHereError as error:
        return {"refused": str(error)}
    json.dumps(answer, allow_nan=False)
    return answer


@every_lab
def test_every_lab_has_an_answer_for_its_defaults(name: str) -> None:
    answer = ask(name)
    assert "refused" not in answer
    check(answer)


def all_values(control: dict[str, Any]) -> list[Any]:
    """Values that a reader may choose: options, or the two ends of a range."""
    options = [value for value, _ in control.get("options", ())]
    return options or [control[end] for end in ("low", "high") if control.get(end) is not None]


def first_and_last(control: dict[str, Any]) -> list[Any]:
    values = all_values(control)
    return [values[0], values[-1]] if values else []


Values = Callable[[dict[str, Any]], list[Any]]
some_values = pytest.mark.parametrize("values", [first_and_last, *full_only([all_values])])


@pytest.mark.slow
@every_lab
@some_values
def test_each_control_has_an_answer(name: str, values: Values) -> None:
    """Odd values are tried in every control that takes text, and with all values in the others too."""
    for control in ask(name)["controls"]:
        odd = ODD if values is all_values or not values(control) else ODD[-1:]
        for value in (*values(control), *odd):
            check(ask(name, **{control["name"]: value}))


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAINING)
@some_values
def test_a_lab_can_be_trained_with_each_value_of_its_controls(name: str, values: Values) -> None:
    controls = ask(name)["controls"]
    for control in controls:
        odd = ("", "𝕏 … 中文") if values is all_values or not values(control) else ()
        for value in (*values(control), *odd):
            check({**answer_after(name, 2, **{control["name"]: value}), "controls": controls})


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAINING)
def test_the_result_of_a_training_is_small_and_repeatable(name: str) -> None:
    first, second = trained(name, 3), trained(name, 3)
    assert as_sent(first, []) == as_sent(second, [])
    assert 0 < memory_bytes(result_of(name, 3)) < LARGEST


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAINING)
def test_an_early_result_does_not_change_while_training_continues(name: str) -> None:
    (lab,) = (lab for lab in labs() if lab.name == name)
    assert lab.training is not None
    steps = lab.training.run(lab.training.settings(Controls()))
    early = next(steps).result()
    before = as_sent(lab.compute(Controls(trained=lambda _: early)), [])
    for _ in range(3):
        next(steps).result()
    assert as_sent(lab.compute(Controls(trained=lambda _: early)), []) == before


@pytest.mark.slow
@every_lab
def test_the_sentences_of_a_lab_are_translated(name: str) -> None:
    english = ask(name)
    for code in ("es", "zh"):
        with in_language(code):
            answer = ask(name)
        assert not set(english["sentences"]) & set(answer["sentences"])
        labels = zip(english["controls"], answer["controls"], strict=True)
        assert all(one["label"] != other["label"] for one, other in labels)


@pytest.mark.parametrize(
    ("data", "code", "fields"),
    [
        ({"lab": "soul"}, "no_such_lab", {"value": "'soul'"}),
        ("ngrams", "no_such_lab", {}),
        ({"lab": "ngrams", "options": []}, "options_not_an_object", {"value": "[]"}),
        ({"lab": "ngrams", "options": {"a": [1]}}, "option_not_plain", {}),
    ],
)
def test_invalid_requests_are_refused_with_a_sentence(
    data: object, code: str, fields: dict[str, object]
) -> None:
    answer = on_lab(data)
    assert says(answer["refused"], code, **fields)
    assert answer["controls"] == []

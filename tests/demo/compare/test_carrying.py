"""The sentence that is carried to the Compare tab, with its checkpoint and reference."""

from __future__ import annotations

import pytest

from demo.compare.form import comparison_examples_of
from demo.compare.handlers import on_carry
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from models.registry.registry import UnknownCheckpointError
from tests.demo.conftest import LETTERS
from tests.refusals import refused


def test_a_readers_sentence_has_no_reference_and_keeps_the_second_text(context: AppContext) -> None:
    _, checkpoint, _, text, reference, other, *pictures_and_examples, choice = on_carry(
        context, {"checkpoint": LETTERS, "text": "nobody said it"}
    )
    assert (checkpoint["value"], text, reference, choice) == (LETTERS, "nobody said it", "", LETTERS)
    assert "value" not in other
    assert pictures_and_examples[:2] == [None, None]
    texts = [example.text for example in comparison_examples_of(context, LETTERS)]
    assert [button.value for button in pictures_and_examples[2 : 2 + len(texts)]] == texts


def test_a_known_sentence_has_its_reference(context: AppContext) -> None:
    example = comparison_examples_of(context, LETTERS)[0]
    texts = on_carry(context, {"checkpoint": LETTERS, "text": example.text})[3:6]
    assert texts == [example.text, example.reference, example.other]


def test_a_second_checkpoint_opens_a_comparison_of_two(context: AppContext) -> None:
    request = {"checkpoint": LETTERS, "other_checkpoint": f"{LETTERS}@int8", "text": "ab"}
    mode, one, other, text, *_ = on_carry(context, request)
    assert (mode, one["value"], other, text) == ("checkpoints", LETTERS, f"{LETTERS}@int8", "ab")


DAMAGED = (
    None,
    {},
    {"checkpoint": LETTERS, "text": " "},
    {"checkpoint": 1, "text": "a"},
    {"checkpoint": LETTERS, "text": "a", "other_checkpoint": 1},
)


@pytest.mark.parametrize("data", DAMAGED)
def test_an_invalid_sentence_is_refused(context: AppContext, data: object) -> None:
    with pytest.raises(RequestError):
        on_carry(context, data)


def test_a_removed_checkpoint_is_named(context: AppContext) -> None:
    with refused(UnknownCheckpointError, "no_such_checkpoint", "gone"):
        on_carry(context, {"checkpoint": "gone", "text": "a"})

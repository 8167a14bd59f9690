"""Texts of comparisons: differences of words, names and requests."""

from __future__ import annotations

from typing import Any

import pytest

from demo.compare.work.pair import END, largest_change, parting, word_pairs, words
from demo.compare.work.rows import DecodingOutcome
from demo.widgets.answers.word_diff import diff_parts
from demo.widgets.captions.options import details, short_name, short_names
from demo.work.requests.checks import RequestError
from demo.work.requests.compare import MAX_ROWS, comparison_request
from models.decoding.options import DecodingOptions
from models.decoding.status import Stop
from tests.fakes.outcomes import outcome
from tests.refusals import Refusal, refused


@pytest.mark.parametrize(
    ("baseline", "text", "parts"),
    [
        ("a house", "a house", [("same", "a house")]),
        ("the mar.", "the mar yet.", [("same", "the mar"), ("added", " yet"), ("same", ".")]),
        ("Yesterday I ran", "I ran", [("removed", "Yesterday"), ("same", " I ran")]),
        ("", "new", [("added", "new")]),
        ("old", "", [("removed", "old")]),
        ("it's me", "it's you", [("same", "it's"), ("removed", " me"), ("added", " you")]),
        ("<b>", "<i>", [("same", "<"), ("removed", "b"), ("added", "i"), ("same", ">")]),
    ],
)  # fmt: skip
def test_a_difference_keeps_marks_apart_from_words(
    baseline: str, text: str, parts: list[tuple[str, str]]
) -> None:
    assert diff_parts(baseline, text) == parts


def pieces(*tokens: str) -> DecodingOutcome:
    probabilities = tuple(-0.5 for _ in tokens)
    return DecodingOutcome(
        "", (), tokens, probabilities, -0.5 * len(tokens), 0.0, True, 1.0, 1, Stop.COMPLETE
    )


def test_pieces_become_words_whose_log_probabilities_add_up() -> None:
    spaced = words(pieces("▁biblio", "teca", ".", "▁a", "</s>"))
    assert [(word.text, word.log_prob) for word in spaced] == [
        ("biblioteca.", -1.5),
        ("a", -0.5),
        (END, -0.5),
    ]
    assert [word.text for word in words(pieces("biblio", "##teca", "a"))] == ["biblioteca", "a"]
    assert [word.text for word in words(pieces("a", "b", "</s>"))] == ["a", "b", END]


def test_equal_words_are_aligned() -> None:
    left, right = pieces("▁an", "▁old", "▁house", "</s>"), pieces("▁an", "▁house", "</s>")
    rows = [
        (pair.left and pair.left.text, pair.right and pair.right.text) for pair in word_pairs(left, right)
    ]
    assert rows == [("an", "an"), ("old", None), ("house", "house"), (END, END)]
    assert [pair.difference for pair in word_pairs(left, right)] == [0, None, 0, 0]
    assert "about as likely" in largest_change(word_pairs(left, right))


def test_a_sentence_names_the_step_where_two_outputs_differ() -> None:
    left, right = outcome("the old library", -1), outcome("the old station", -1)
    assert (
        parting(left, right)
        == "They first differ at step 3: “library” in the first, “station” in the second."
    )
    assert parting(left, left) == "Both outputs are the same."
    assert "“</s>” in the first" in parting(outcome("the", -1), left)


def test_names_are_short_and_no_two_are_the_same() -> None:
    beam = DecodingOptions(strategy="beam", length_penalty=0.6)
    assert short_name(beam) == "Beam 4, α 0.6"
    twins = [DecodingOptions(strategy="sampling", seed=seed) for seed in (0, 1, 1)]
    names = short_names([beam, *twins])
    assert len(set(names)) == 4
    assert names[0] == "Beam 4, α 0.6"
    assert "seed 1" in names[2]
    banning = DecodingOptions(strategy="greedy", banned="old")
    assert short_names([DecodingOptions(strategy="greedy"), banning]) == ["Greedy", "Greedy (without “old”)"]
    assert "2 groups of 2" in details(DecodingOptions(strategy="diverse"))
    assert details(banning).endswith("without “old”")


@pytest.mark.parametrize(
    ("values", "refusal"),
    [
        ({"strategies": []}, ("no_strategy_to_compare",)),
        ({"strategies": None}, ("no_strategy_to_compare",)),
        ({"strategies": [{"strategy": "greedy"}] * (MAX_ROWS + 1)}, ("too_many_strategies", 12)),
        ({"strategies": ["beam"]}, ("strategy_not_an_object", "beam")),
        ({"strategies": [{"strategy": "beam", "beams": 4}]}, ("no_such_decoding_setting", "beams")),
        ({"strategies": [{"strategy": "best"}]}, ("not_one_of", "strategy")),
        ({"text": "  "}, ("nothing_to_decode", "text")),
        ({"text": "x" * 501}, ("too_many_characters", "500")),
        ({"reference": "x" * 501}, ("too_many_characters", "reference", "501")),
        ({"reference": {"a": 1}}, ("not_a_text", "reference")),
        ({"checkpoint": None}, ("not_a_checkpoint_name",)),
    ],
    ids=repr,
)
def test_an_invalid_request_is_refused(values: dict[str, Any], refusal: Refusal) -> None:
    fields = {"checkpoint": "any", "text": "hola", "reference": "", "strategies": [{"strategy": "greedy"}]}
    with refused(RequestError, *refusal):
        comparison_request(**{**fields, **values})


def test_a_request_takes_an_absent_reference_and_one_strategy_alone() -> None:
    request = comparison_request("any", "hola", None, {"strategy": "beam", "beam_size": 2.0})
    assert (request.reference, request.strategies) == ("", (DecodingOptions(beam_size=2),))

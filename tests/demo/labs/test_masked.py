"""The lab of the masked token before, during and after the training of three networks."""

from __future__ import annotations

import pytest

from demo.labs.masked import LAB, NETWORK_NAMES
from demo.widgets.answers.content import Controls
from models.labs.masked import MaskedResult
from models.metrics.bootstrap import wilson_interval
from tests.demo.labs.test_every_lab import ask
from tests.demo.labs.trained import result_of, trained
from tests.messages import says

TEXT = "a x c. a y d. b z c. " * 40


def test_an_untrained_network_is_shown_with_the_side_that_it_reads() -> None:
    answer = ask("masked", sentence="one _ two three")
    assert answer["sentences"][0].startswith("Not trained yet.")
    assert [row[1:] for row in answer["table"]["rows"]] == [
        ["one", ""],
        ["", "two three"],
        ["one", "two three"],
    ]


def test_the_facts_count_what_each_network_reads() -> None:
    content = LAB.compute(Controls(options={"sentence": "one _ two three", "layers": "2"}))
    assert content.facts == {"forward_reads": 1, "backward_reads": 2, "both_reads": 3, "both_layers": 4}


def test_the_candidates_stand_side_by_side() -> None:
    content = trained("masked", 6, text=TEXT, sentence="a _ c")
    assert len(content.charts) == 1
    assert content.table is not None
    best = content.table.rows[0]
    for index, name in enumerate(NETWORK_NAMES):
        assert best[1 + 2 * index] == (content.facts[f"{name}_guess"] or "</s>")
    assert "counted when the training is over" in content.sentences[1]


@pytest.mark.full
def test_accuracies_have_wilson_intervals() -> None:
    result = result_of("masked", text=TEXT, layers="3", sentence="a _ c")
    assert isinstance(result, MaskedResult)
    content = LAB.compute(
        Controls(options={"text": TEXT, "layers": "3", "sentence": "a _ c"}, trained=lambda _: result)
    )
    right = result.right["both"] / result.tested
    assert content.facts["both_accuracy"] == right
    low, high = wilson_interval(right, result.tested)
    assert f"({100 * low:.1f}–{100 * high:.1f})" in content.sentences[1]
    bars = content.charts[0].figure.data[0]
    assert bars["y"][2] == round(100 * right, 2)
    assert content.facts["both_guess"] == "x"


def test_a_masked_character_is_shown_with_the_spaces_around_it() -> None:
    rows = ask("masked", unit="characters", sentence="a _B")["table"]["rows"]
    assert rows[2][1:] == ["a ␣", "b"]


def test_a_text_needs_one_blank_and_enough_tokens() -> None:
    assert says(ask("masked", sentence="nothing")["refused"], "not_one_blank")
    assert says(ask("masked", sentence="_ _")["refused"], "not_one_blank")
    assert says(ask("masked", sentence="a " * 61 + "_")["refused"], "sentence_too_long", count=60)
    assert says(ask("masked", text="a few words")["refused"], "text_too_short_to_read")

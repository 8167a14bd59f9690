"""The lab of positions and masks: a changed word, the order of words, and a training."""

from __future__ import annotations

import math

import pytest

from demo.labs.positions.lab import LAB
from demo.widgets.answers.content import Content, Controls
from models.labs.masks import CopyingResult
from tests.demo.labs.test_every_lab import ask
from tests.demo.labs.trained import trained
from tests.messages import says


def compute(**options: object) -> Content:
    return LAB.compute(Controls(options=options))


def test_under_a_causal_mask_a_changed_word_reaches_only_later_words() -> None:
    content = compute(text="a b c d", changed=3)
    assert content.facts["outputs_changed"] == 2
    assert content.facts["change_before"] == 0
    assert content.sentences[0].startswith(
        "Word 3, “c”, is replaced by another: 2 of 4 outputs change, and those before"
    )
    bars = content.charts[1].figure.data[0]["y"]
    assert bars[:2] == [0, 0]
    assert min(bars[2:]) > 0
    assert compute(text="a b c d", changed=3, mask="encoder").facts["outputs_changed"] == 4


def test_masked_cells_are_empty() -> None:
    cells = compute(text="a b c", mask="prefix", prefix=2).charts[0].figure.data[0]["z"]
    assert [[cell is None for cell in row] for row in cells] == [[False, False, True]] * 2 + [[False] * 3]
    assert [row[2] for row in ask("positions", text="a b c")["table"]["rows"]] == ["1", "2", "3"]


def test_the_order_is_lost_without_positions_and_without_a_mask() -> None:
    lost = compute(mask="encoder", positions="none")
    assert lost.facts["order_difference"] == 0
    assert "does not know the order" in lost.sentences[2]
    assert "the network knows where a word stands" in compute(mask="encoder").sentences[2]
    assert "gives away some of the order" in compute(positions="none").sentences[2]


def test_products_of_positions_depend_on_the_distance() -> None:
    answer = ask("positions", shown="encoding", width=32)
    assert all(row[1] == row[2] for row in answer["table"]["rows"])
    # The mean of the cosines of the distance, by their frequencies.
    frequencies = [10_000 ** (-index / 16) for index in range(16)]
    near = sum(math.cos(frequency) for frequency in frequencies) / 16
    assert compute(shown="encoding", width=32).facts["near"] == pytest.approx(near, abs=1e-6)


@pytest.mark.slow
def test_a_training_is_compared_with_the_best_possible_guess() -> None:
    assert "Not trained yet" in compute(shown="training").sentences[0]
    content = trained("positions", 40, shown="training")
    assert content.facts["honest_loss"] == pytest.approx(math.log(8))
    assert set(content.facts) == {"string_loss", "copy_loss", "honest_loss", "largest_weight_of_last"}
    assert [chart.name for chart in content.charts] == ["losses", "attention"]
    assert [chart.name for chart in trained("positions", 1).charts] == ["attention", "change", "losses"]


def test_a_text_of_one_word_or_many_is_refused() -> None:
    assert says(ask("positions", text="a")["refused"], "words_out_of_range", count=1)
    assert says(ask("positions", text="a " * 25)["refused"], "words_out_of_range", count=25)


@pytest.mark.parametrize(
    ("loss", "expected"), [(2.05, "does not see the answer"), (1.4, "lets the network read the answer")]
)
def test_a_loss_below_the_best_guess_is_called_cheating(loss: float, expected: str) -> None:
    result = CopyingResult((loss,), (1.0,), "a", (((1.0,),),) * 2)
    content = LAB.compute(Controls(options={"shown": "training"}, trained=lambda _: result))
    assert expected in content.sentences[1]

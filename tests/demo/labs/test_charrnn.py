"""The sentences and charts of the lab of character models, after a few updates on a small text."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from demo.labs.charrnn import LAB, compute, norm_figure, perplexity_figure, settings
from demo.widgets.answers.content import Content, Controls, NotHereError
from models.labs.character_training import CharacterResult
from tests.demo.labs.trained import trained
from tests.refusals import refused

TEXT = "the cat sat on the mat. " * 30
RESULT = CharacterResult(
    alphabet=10,
    updates=600,
    losses=(math.log(10), math.log(4), math.log(5)),
    norms=(0.5, 3.0, 1.5),
    held_out=((0, 10.0), (3, 4.5)),
    held_out_characters=64,
    gap=0.0,
    sample="the  mat\nsat",
    broke=False,
)


def content_of(result: CharacterResult = RESULT, **options: object) -> Content:
    return compute(Controls(options={"text": TEXT, **options}, trained=lambda _: result))


def test_an_untrained_character_rnn_shows_shapes_and_uniform_guesses() -> None:
    content = trained("charrnn", 0, text=TEXT)
    assert content.sentences[0].startswith("Untrained, this RNN has perplexity ")
    size = len(set(TEXT))
    assert content.facts["uniform_perplexity"] == size
    assert content.facts["perplexity"] == content.facts["perplexity_before"] == pytest.approx(size, rel=0.15)
    assert content.table is not None
    assert [list(row)[:2] for row in content.table.rows] == [
        ["X", f"32 × 16 × {size}"],
        ["output", "32 × 16 × 64"],
        ["h_n", "1 × 16 × 64"],
        ["logits", f"32 × 16 × {size}"],
        ["weights", f"{64 * (size + 64 + 2) + size * 65:,}"],
    ]
    assert [chart.figure.data[0]["x"] for chart in content.charts] == [[], []]
    assert content.charts[0].figure.layout["xaxis"]["range"] == [0, 600]


def test_the_sentences_report_the_measurements_of_a_training() -> None:
    content = content_of()
    assert content.sentences[0] == (
        "After 3 updates this RNN has perplexity 4.50 on text that it has not seen. It began at 10.00; "
        "guessing evenly among all characters has 10."
    )
    assert content.sentences[1].startswith(
        "Largest gradient norm: 3.00, at update 2. 2 of 3 gradients were longer than 1"
    )
    assert "Sampled from it: “the mat sat”" in content.sentences
    assert content.facts == {
        "uniform_perplexity": 10,
        "perplexity_before": 10.0,
        "perplexity": 4.5,
        "worse_than_guessing": 0,
        "steps": 32,
        "rows": 16,
        "units": 64,
        "layers": 1,
        "weights": 64 * (10 + 64 + 2) + 10 * (64 + 1),
        "output_gap": 0.0,
        "largest_gradient_norm": 3.0,
    }
    assert [chart.name for chart in content.charts] == ["perplexity", "norm"]


def test_only_two_layers_make_output_and_h_n_differ() -> None:
    compared = {
        layers: "output[-1] and h_n[-1]" in " ".join(content_of(layers=layers).sentences) for layers in "12"
    }
    assert compared == {"1": False, "2": True}


def test_training_without_clipping_is_named() -> None:
    content = content_of(replace(RESULT, held_out=((0, 10.0), (3, 3e10))), clipping="off")
    assert content.sentences[0].startswith("After 3 updates this RNN has perplexity 3 × 10¹⁰ on text")
    assert "worse than guessing evenly, which has 10" in content.sentences[0]
    assert content.facts["worse_than_guessing"] == 1
    assert "Nothing was clipped" in content.sentences[1]
    assert [chart.figure.layout.get("shapes") for chart in content.charts][1] is None


def test_a_training_that_broke_down_is_reported() -> None:
    content = content_of(replace(RESULT, held_out=((0, 10.0), (3, math.inf)), broke=True))
    assert content.sentences[0].startswith("Training broke down at update 4")
    assert (content.facts["perplexity"], content.facts["worse_than_guessing"]) == ("∞", 1)
    assert content.charts[0].figure.data[1]["y"] == [10.0, None]


def test_curves_are_perplexities_and_norms() -> None:
    first, second = perplexity_figure(RESULT).data
    assert first["y"] == pytest.approx([10, 4, 5])
    assert (second["x"], second["y"]) == ([0, 3], [10.0, 4.5])
    figure = norm_figure(RESULT, 1.0, replace(RESULT, norms=(1.0, 2e30)))
    other, this_one = figure.data
    assert this_one["y"] == [0.5, 3.0, 1.5]
    assert other["y"] == [1.0, None]  # too far away to be drawn
    (line,) = figure.layout["shapes"]
    assert line["y0"] == line["y1"] == 1


@pytest.mark.parametrize(
    ("truncation", "expected"),
    [("full", "all 32 characters"), ("truncated", "every 7 steps"), ("randomised", "with probability 0.3")],
)
def test_a_sentence_gives_the_reach_of_the_gradient(truncation: str, expected: str) -> None:
    assert expected in content_of(truncation=truncation, every=7, kept=0.3).sentences[2]


def test_a_short_text_is_refused_and_irrelevant_settings_are_ignored() -> None:
    with refused(NotHereError, "text_too_short_to_learn", 3):
        settings(Controls(options={"text": "abc"}))
    same = [settings(Controls(options={"kept": survival})) for survival in (0.2, 0.7)]
    assert same[0] == same[1]  # since nothing is truncated at random
    assert LAB.training is not None
    assert LAB.position == 60

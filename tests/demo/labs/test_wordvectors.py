"""The sentences and charts of the lab of word vectors."""

from __future__ import annotations

import math

import pytest
import torch

from demo.labs.wordvectors import LAB, compute, settings
from demo.widgets.answers.content import Content, Controls, NotHereError
from models.labs.training import novel
from models.labs.word_vectors import VectorResult, Words
from tests.demo.labs.trained import trained
from tests.refusals import refused

RESULT = VectorResult(
    vocabulary=("tea", "cup", "hare"),
    tokens=1200,
    vectors=torch.tensor([[1.0, 0.0], [3.0, 4.0], [0.0, 2.0]]),
    losses=(4.0, 2.5),
    done=30,
    first_loss=6 * math.log(2),
)


def content_of(**options: object) -> Content:
    return compute(Controls(options={"word": "tea", **options}, trained=lambda _: RESULT))


def test_the_sentences_name_the_nearest_words_and_the_loss() -> None:
    result = content_of()
    assert result.sentences[0] == "Nearest to “tea”, by cosine: cup (0.60), hare (0.00)."
    assert result.sentences[1].startswith(
        "Skip-gram: the vector of a word has to predict each of the words at most 5"
    )
    assert result.sentences[2].startswith(
        "Loss after update 30: 2.50 nats; vectors without information have (1 + 5) · ln 2 = 4.16"
    )
    assert result.sentences[3].startswith("The map holds 100% of the variance")
    assert "has 1,200 words" in result.sentences[4]
    assert result.table is not None
    assert [row[0] for row in result.table.rows] == ["cup", "hare"]
    assert result.table.rows[0][1] == pytest.approx(0.6)
    assert result.facts == {
        "vocabulary": 3,
        "dimensions": 2,
        "nearest": "cup",
        "similarity": pytest.approx(0.6),
        "loss_before": pytest.approx(6 * math.log(2)),
        "loss": 2.5,
        "skipgram_examples": len(Words.of(novel(), 5).pairs(5)),
        "cbow_examples": len(Words.of(novel(), 5).contexts(5)[0]),
    }


def test_examples_of_both_methods_are_counted() -> None:
    result = compute(Controls(options={"text": "a b c. d e", "window": 2, "method": "counts"})).facts
    assert result["skipgram_examples"] == 3 * 2 + 2  # a word and each other one of its sentence
    assert result["cbow_examples"] == 3 + 2  # each word that has another beside it
    assert result["dimensions"] == result["vocabulary"] == 5


def test_the_map_keeps_distances_and_a_click_chooses_a_word() -> None:
    (near, word) = content_of().charts[0].figure.data
    assert word["customdata"] == [["choose", "word", "tea"]]
    points = dict(zip(near["text"], zip(near["x"], near["y"], strict=True), strict=True))
    assert math.dist(points["cup"], (word["x"][0], word["y"][0])) == pytest.approx(math.hypot(2, 4), abs=1e-3)


def test_the_curve_is_drawn_at_its_updates() -> None:
    figure = content_of().charts[1].figure
    assert (figure.data[0]["x"], figure.data[0]["y"]) == ([20, 30], [4.0, 2.5])
    (line,) = figure.layout["shapes"]
    assert line["y0"] == pytest.approx(4.158883)


def test_a_bag_of_words_is_counted_without_training() -> None:
    text = "the cat sat. the dog sat. a bird flew"
    result = trained("wordvectors", method="counts", text=text, word="cat", window=1)
    assert result.sentences[0].startswith("Nearest to “cat”, by cosine: dog (1.00)")
    assert [chart.name for chart in result.charts] == ["map"]
    assert LAB.training is not None
    assert LAB.training.settings(Controls(options={"method": "counts"})) is None
    assert LAB.training.settings(Controls(options={})) is not None


def test_an_unknown_word_is_refused_with_suggestions() -> None:
    with refused(NotHereError, "word_too_rare", "“soul”", "tea, cup, hare"):
        content_of(word="soul")
    assert "Nearest to “cup”" in content_of(word=" CUP ").sentences[0]


def test_the_chosen_word_does_not_restart_the_training() -> None:
    assert settings(Controls(options={"word": "cat"})) == settings(Controls())
    assert settings(Controls(options={"loss": "softmax", "noise": 3})).noise == 0
    with refused(NotHereError, "no_neighbouring_words"):
        settings(Controls(options={"text": "one. two."}))


@pytest.mark.full
@pytest.mark.slow
def test_training_on_the_novel_places_related_words_together() -> None:
    """The one whole training here: of the March Hare, the tea and the Dormouse at least two are near."""
    result = trained("wordvectors", 800)
    assert result.table is not None
    near = {row[0] for row in result.table.rows}
    assert len(near & {"hare", "march", "tea", "dormouse"}) >= 2
    assert float(result.facts["loss"]) < float(result.facts["loss_before"]) - 1
    assert "hatter" in novel().lower()

"""Sentences of labs that hold for some settings only, and those that hold for all."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from demo.labs.lookup.lab import padding_sentence
from demo.labs.lookup.reading import LookupText
from demo.widgets.answers.content import Content, Controls
from models.labs.attention import score_keys
from models.labs.masked import FrequentTokens, MaskedModel, MaskedResult
from models.labs.masks import CopyingResult
from tests.demo.labs.cases import shipped
from tests.demo.labs.trained import answer_of, lab_of


def text_of(name: str, **options: Any) -> str:
    """All sentences of a lab before its training."""
    return " ".join(answer_of(name, options, 0, shipped())[0].sentences)


def after(name: str, result: object, **options: Any) -> Content:
    """A lab's content with a result of its training."""
    return lab_of(name).compute(Controls(options=options, trained=lambda _: result))


def test_keys_with_equal_weights_share_the_first_place() -> None:
    pairs = "1 10; 2 30; 3 50"
    assert "The key 1 counts most" in text_of("attention", text=pairs, query=1.2)
    assert "that of several keys" in text_of("attention", text=pairs, query=1.5)
    assert "that of several keys" in text_of("attention", text=pairs, kernel="boxcar", bandwidth=5)


def test_numbers_of_any_size_have_no_exponent() -> None:
    text = text_of("attention", text="1000000 1; 999000 2; 998000 3", query=999000)
    assert "To the query 999000 " in text
    small = text_of("attention", text="0.00001 1; 0.00002 2", query=0.00001, bandwidth=0.000005)
    assert "u = distance / 0.000005" in small


def test_a_narrow_kernel_on_words_answers_as_a_dictionary() -> None:
    words = {"shown": "words", "words": "cat gato; dog perro", "kernel": "triangular", "bandwidth": 1}
    assert "the answer is that of a dictionary: 100% gato" in text_of("attention", **words, word="cat")
    assert "mixture:" not in text_of("attention", **words, word="cat")
    assert "Attention answers: 100% gato" in text_of("attention", **{**words, "bandwidth": 2}, word="cot")
    assert "still the answer is a mixture" in text_of(
        "attention", **{**words, "kernel": "gaussian"}, word="cat"
    )


@pytest.mark.slow
@pytest.mark.parametrize("width", [2, 16, 256])
def test_the_stated_spread_of_scores_is_measured(width: int) -> None:
    def spread(kind: str) -> float:
        return sum(score_keys(kind, width, 10, seed).deviation for seed in range(10)) / 10

    assert spread("dot") == pytest.approx(math.sqrt(width), rel=0.15)
    assert spread("scaled_dot") == pytest.approx(1, rel=0.15)
    assert spread("general") == pytest.approx(math.sqrt(width), rel=0.3)
    assert 0.2 < spread("additive") < 1


def test_a_signal_without_noise_has_no_other_draw() -> None:
    assert "Other noise" in text_of("autoregression")
    assert "Other noise" not in text_of("autoregression", noise=0)
    assert "Other noise" in text_of("autoregression", noise=0, signal="walk")


def test_a_single_order_is_not_called_a_geometric_mean() -> None:
    assert "geometric mean of 2 precisions" in text_of("bleu", orders="2")
    assert "the precision of single tokens" in text_of("bleu", orders="1")


@pytest.mark.parametrize("smoothing", ["exp", "floor", "add-k", "none"])
def test_the_stated_bleu_of_a_short_output_is_computed(smoothing: str) -> None:
    content, _ = answer_of("bleu", {"output": "a cat", "reference": "a cat", "smoothing": smoothing})
    text = " ".join(content.sentences)
    assert ("so its BLEU is 0" in text) == (content.facts["bleu"] == 0)
    assert ("the smoothing gives those it lacks 100%" in text) == (smoothing == "add-k")


def test_a_perplexity_above_the_vocabulary_is_called_worse_than_guessing() -> None:
    content, _ = answer_of("ngrams", {"text": "a a a a a a a a b", "sentence": "c c c", "alpha": 0.1})
    assert content.facts["perplexity"] > content.facts["vocabulary"]
    assert "worse than guessing evenly" in content.sentences[0]
    assert "hesitates as if between" in text_of("ngrams")


@pytest.mark.slow
def test_a_text_of_the_reader_is_not_the_novel() -> None:
    text = "the cat sat on the mat. " * 22
    assert "Alice" in text_of("charrnn")
    assert "Alice" not in text_of("charrnn", text=text)
    content, _ = answer_of("charrnn", {"text": text}, 0)
    read = len(text) - 1 - 52  # without the space at the end and the held-out tenth
    assert content.facts["rows"] == read // 33 < 16  # a row is longer than a window
    assert "cut off at every step" in text_of("charrnn", truncation="truncated", every=1)


@pytest.mark.slow
def test_given_tokens_are_counted_and_an_absent_gap_is_not_explained() -> None:
    assert "may be mere wording" in text_of("forcing")
    assert "were given" not in text_of("forcing")
    assert "and so are right: 3." in text_of("forcing", given=3)
    result = answer_of("forcing", {"checkpoint": "reverse-gru"}, 0, shipped())[0]
    assert result.facts["first_difference"] == 0
    assert "On this pair it does no harm." in " ".join(result.sentences)


def test_only_a_shared_output_layer_explains_a_nonzero_padding_row() -> None:
    def reading(*, is_output: bool) -> LookupText:
        return LookupText(None, (), 0, (), (), "", "", is_output)  # type: ignore[arg-type]

    assert "gets no gradient and is 0 still" in padding_sentence(reading(is_output=False), 0)
    assert "output layer" in padding_sentence(reading(is_output=True), 1)
    assert "output layer" not in padding_sentence(reading(is_output=False), 1)


def test_a_held_out_end_of_unknown_tokens_has_no_accuracy() -> None:
    vocabulary = FrequentTokens("words", ("<unk>", "", "a"))
    rng = torch.Generator().manual_seed(0)
    weights = {name: MaskedModel(name, 3, 1, rng).state_dict() for name in ("forward", "backward", "both")}
    losses = dict.fromkeys(weights, (1.0,))
    result = MaskedResult(vocabulary, 1, losses, weights, dict.fromkeys(weights, 0), 0)
    content = after("masked", result, sentence="a _ a")
    assert "no token that the networks know" in " ".join(content.sentences)
    assert not [name for name in content.facts if name.endswith("accuracy")]


def test_a_text_equal_to_its_reverse_shows_no_effect_of_order() -> None:
    assert "does not know the order" in text_of("positions", mask="encoder", positions="none")
    alike = text_of("positions", text="a a a", positions="none")
    assert "does not know the order" not in alike
    assert "Type different words" in alike


@pytest.mark.parametrize(
    ("mask", "loss", "expected"),
    [
        ("decoder", 2.05, "it does not see the answer"),
        ("encoder", 2.05, "it has not learnt to"),
        ("prefix", 2.3, "it has not learnt to"),
        ("encoder", 1.0, "means that the mask lets the network read the answer"),
    ],
)
def test_a_loss_is_explained_by_the_mask_and_its_height(mask: str, loss: float, expected: str) -> None:
    result = CopyingResult((loss,), (1.0,), "a", (((1.0,),),) * 2)
    assert expected in after("positions", result, shown="training", mask=mask).sentences[1]

"""Vectors of words: losses worked out by hand, and whether they find what stands together."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice

import pytest
import torch

from models.labs.word_vectors import (
    AVERAGED_UPDATES,
    VECTOR_LEARNING_RATE,
    Model,
    VectorChoices,
    VectorResult,
    Words,
    neighbours,
    train,
    without_idle_dimensions,
)

# Two groups of words that never meet.
TEXT = "cat dog cat dog mouse. " * 20 + "red blue red green. " * 20
SKIP_GRAM = VectorChoices("skipgram", 2, 5, 1)
trainings = pytest.mark.parametrize("method", ["skipgram", "cbow"])
losses = pytest.mark.parametrize("noise", [0, 5])


def trained_for(choices: VectorChoices, updates: int, text: str = TEXT) -> VectorResult:
    *_, last = islice(train(replace(choices, text=text)), updates + 1)
    return last.result()


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(1)


@trainings
@losses
def test_zero_vectors_have_the_loss_of_guessing(method: str, noise: int) -> None:
    """Output vectors begin at zero: ln V for the softmax, else ln 2 for each word of a choice."""
    trained_words = trained_for(VectorChoices(method, 2, noise, 1), 1)
    size = len(trained_words.vocabulary)
    assert trained_words.first_loss == pytest.approx(
        (1 + noise) * math.log(2) if noise else math.log(size), rel=1e-6
    )


@pytest.mark.slow
@trainings
@losses
def test_words_that_occur_together_get_similar_vectors(method: str, noise: int) -> None:
    trained_words = trained_for(VectorChoices(method, 2, noise, 1), 300)
    result = neighbours(trained_words.vectors, trained_words.vocabulary.index("cat"), 5)
    near = {trained_words.vocabulary[index]: cosine for index, cosine in result}
    assert next(iter(near)) in {"dog", "mouse"}
    assert (near["dog"] + near["mouse"]) / 2 > 0.2 + (near["red"] + near["blue"] + near["green"]) / 3
    assert trained_words.losses[-1] < trained_words.first_loss
    assert len(trained_words.losses) == 300 / AVERAGED_UPDATES


def test_the_loss_of_negative_sampling_is_that_of_the_paper() -> None:
    """-log s(u_o v) - sum log s(-u_n v): with one word of noise that can only be the second."""
    words = Words.of("a b", 1)
    model = Model(words, SKIP_GRAM, rng())
    model._noise = torch.tensor([0.0, 1.0])
    model.read[0] = torch.full((32,), 0.1)
    model.predicted[0], model.predicted[1] = torch.full((32,), 0.5), torch.full((32,), -0.25)
    result = model.loss(model.hidden(torch.tensor([0])), torch.tensor([0]), rng())
    right, wrong = 32 * 0.05, 32 * -0.025
    expected = math.log(1 + math.exp(-right)) + 5 * math.log(1 + math.exp(wrong))
    assert float(result) == pytest.approx(expected, rel=1e-5)


def test_cbow_reads_the_mean_of_neighbouring_words() -> None:
    model = Model(Words.of("a b c", 1), replace(SKIP_GRAM, method="cbow"), rng())
    mean = model.hidden(torch.tensor([[0, 2, -1, -1], [1, -1, -1, -1]]))
    torch.testing.assert_close(mean, torch.stack([(model.read[0] + model.read[2]) / 2, model.read[1]]))


def test_an_update_is_one_of_adagrad() -> None:
    """Both words are equally probable, so the gradient of the true one is -v/2, that of the other v/2."""
    model = Model(Words.of("a b", 1), replace(SKIP_GRAM, noise=0), rng())
    read = model.read.clone()
    loss = model.learn(torch.tensor([0]), torch.tensor([1]), rng())
    assert loss == pytest.approx(math.log(2))
    gradient = torch.stack([read[0] / 2, -read[0] / 2])
    torch.testing.assert_close(
        model.predicted.detach(), -VECTOR_LEARNING_RATE * gradient / (1e-8 + gradient**2).sqrt()
    )
    assert torch.equal(model.read.detach(), read)  # nothing was predicted yet that could pull at them


def test_a_bag_of_words_needs_no_training() -> None:
    (progress,) = train(VectorChoices("counts", 1, 5, 1, "a b c. a b"))
    trained_words = progress.result()
    assert progress.share == 1
    assert trained_words.vectors.tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
    assert trained_words.tokens == 5


def test_words_without_neighbours_cannot_be_trained_on() -> None:
    with pytest.raises(ValueError, match="vectors"):
        next(train(replace(SKIP_GRAM, text="a. b. c.")))


def test_neighbours_are_the_most_alike_by_cosine() -> None:
    vectors = torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [1.0, 1.0], [0.0, 0.0]])
    result = neighbours(vectors, 0, 9)
    assert [index for index, _ in result][:2] == [1, 3]
    assert [cosine for _, cosine in result] == pytest.approx([1, math.sqrt(0.5), 0, 0], abs=1e-6)


def test_turning_keeps_distances() -> None:
    vectors = torch.randn(4, 9, generator=rng())
    turned = without_idle_dimensions(vectors)
    assert turned.shape == (4, 4)
    torch.testing.assert_close(turned @ turned.T, (vectors @ vectors.T).double(), atol=1e-5, rtol=1e-5)
    assert torch.equal(without_idle_dimensions(vectors.T), vectors.T)

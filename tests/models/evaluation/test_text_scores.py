"""Scores of given texts in batches equal those of single texts."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from models.decoding.judge.rescore import rescore_ids
from models.evaluation.text_scores import TextScores, perplexity, score_texts
from models.registry.registry import Registry
from tests.fakes.markov import EOS, MarkovModel

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", ["spa-eng-gru", "spa-eng-transformer"])
def test_a_batch_scores_like_single_texts(name: str) -> None:
    checkpoint = Registry(ROOT / "checkpoints").load(name, torch.device("cpu"))
    tokenizer = checkpoint.tokenizer
    sources = tokenizer.encode_ids(["Hola.", "¿Dónde está la biblioteca?", "No sé."])
    targets = tokenizer.target.encode_ids(["Hello.", "Where is the library?", "I don't know what it is."])
    done: list[int] = []
    result = score_texts(checkpoint.model, sources, targets, tokenizer, done.extend)
    assert sorted(done) == [0, 1, 2]
    for source, target, text in zip(sources, targets, result, strict=True):
        alone = rescore_ids(checkpoint.model, source, target, tokenizer)
        assert text.log_probs == pytest.approx([token.log_prob for token in alone], abs=1e-4)
        assert list(text.hits) == [token.rank == 0 for token in alone]
        best = [max(token.log_prob, token.alternative.log_prob) for token in alone if token.alternative]
        assert text.confidences == pytest.approx([math.exp(item) for item in best], abs=1e-4)


def test_perplexity_is_that_of_the_markov_model() -> None:
    model = MarkovModel.random(letters=4, seed=0)
    targets = [(4, 5, EOS), (6, EOS)]
    mean = -sum(model.log_prob(target) for target in targets) / 5
    assert perplexity(score_texts(model, [(4, EOS)] * 2, targets)) == pytest.approx(math.exp(mean), rel=1e-5)


def test_a_text_without_tokens_has_no_perplexity() -> None:
    with pytest.raises(ValueError, match="perplexity"):
        perplexity([])
    with pytest.raises(ValueError, match="zip"):
        score_texts(MarkovModel.random(letters=4, seed=0), [(4, EOS)], [])
    assert perplexity([TextScores((-1.0, -3.0), (1, 1), (True, True))]) == pytest.approx(math.exp(2))

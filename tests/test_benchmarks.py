"""Both sides of a benchmark run and write the same output; otherwise its figures mean nothing."""

from __future__ import annotations

import pytest
import torch

from tests.benchmarks import batches, corpus, decoding, translation

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("beams", decoding.BEAMS)
def test_both_sides_of_a_trace_write_the_same_tokens(beams: int) -> None:
    theirs, ours = decoding.both()
    src = torch.randint(2, decoding.VOCAB_SIZE, (1, decoding.SOURCE_TOKENS))
    tokens = [run() for run in decoding._runs(theirs, ours, None, src, beams)]
    assert tokens[0] == tokens[1]
    assert len(tokens[0]) == decoding.TARGET_TOKENS


def test_both_sides_of_a_corpus_write_the_same_sentences() -> None:
    theirs, ours = decoding.both()
    first = corpus._batches()[:1]
    outputs, expected = corpus._search(ours, first), corpus._generate(theirs, first)
    same = sum(one == other for one, other in zip(outputs, expected, strict=True))
    assert same >= batches.SAME * len(expected) > 0


def test_a_translator_is_measured_on_different_sentences_in_order_of_length() -> None:
    texts = translation.sources(20)
    lengths = [len(ids) for ids in translation.REGISTRY.tokenizer(translation.TRANSLATOR).encode_ids(texts)]
    assert len(set(texts)) == 20
    assert lengths == sorted(lengths)

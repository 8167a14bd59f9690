"""Both sides of a benchmark run and write the same output; otherwise its figures mean nothing."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from models.batch import Batch
from models.networks.transformer.config import TransformerConfig
from models.tokenization.tokenizer import Tokenizer
from models.training.events import EvaluationCompleted
from models.training.recipe.config import TrainingConfig
from tests.benchmarks import batches, corpus, decoding, gpu, training_bleu, training_peers, translation

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("beams", decoding.BEAMS)
def test_both_decoders_of_the_trace_benchmark_write_the_same_tokens(beams: int) -> None:
    theirs, ours = decoding.both()
    src = torch.randint(2, decoding.VOCAB_SIZE, (1, decoding.SOURCE_TOKENS))
    tokens = [run() for run in decoding._runs(theirs, ours, None, src, beams)]
    assert tokens[0] == tokens[1]
    assert len(tokens[0]) == decoding.TARGET_TOKENS


def test_both_decoders_of_the_corpus_benchmark_write_the_same_sentences() -> None:
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


def test_the_trainers_collator_pads_the_pairs_of_a_batch_as_the_batch_is_padded() -> None:
    sources, targets = [[5, 6, 7, 2], [8, 2]], [[9, 2], [10, 11, 12, 2]]
    batch = Batch.from_ids(sources, targets, bos_id=Tokenizer.bos_id, pad_id=Tokenizer.pad_id)
    shape = TransformerConfig(d_model=8, num_heads=2, d_ff=8, num_layers=1, num_decoder_layers=1)
    collator = training_peers._collator(training_peers._marian(shape, 20, "eager"))
    collated, padded = collator(training_peers._pairs(batch)), training_peers._inputs(batch)
    for name, values in padded.items():
        assert torch.equal(collated[name], values), name


def test_the_benchmark_of_a_gpu_is_planned_for_eight_minutes_at_most() -> None:
    planned = gpu.parts("cuda", Path("data"))
    assert sum(seconds for seconds, _ in planned.values()) <= gpu.MAX_SECONDS == 8 * 60
    (_, benchmark) = planned["benchmark, and a run with its BLEU"]
    assert benchmark[-2:] == ["--data", "data"]


def test_a_translator_without_a_corpus_is_reported_as_not_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert training_bleu.time_to_bleu(None, 1.0, torch.device("cpu")) == {}
    assert "not measured" in capsys.readouterr().out


@pytest.mark.parametrize(("goal", "reached"), [(40.0, True), (50.0, False)])
def test_a_translator_is_trained_until_its_goal_or_the_end_of_its_time(goal: float, reached: bool) -> None:
    watch = training_bleu.BleuWatch(goal, most_seconds=math.inf)
    for step, bleu in ((200, 30.0), (400, 45.0), (600, 44.0)):
        watch.add(EvaluationCompleted(step, 1.0, 2.7, bleu, 0.0, True))
    assert (watch.step, watch.bleu) == (400, 45.0)
    assert watch.is_over() is reached is (watch.reached_after is not None)
    assert training_bleu.BleuWatch(goal, most_seconds=-1.0).is_over()


def test_the_recipe_of_the_translator_needs_only_the_corpus() -> None:
    config = training_bleu.large_batches(TrainingConfig.load(training_bleu.RECIPE))
    assert (config.data.corpus, config.data.supplement, config.data.casual_sources) == ("eng-spa", "", 0.0)

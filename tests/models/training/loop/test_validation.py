"""The validation loss, pair by pair."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from models.batch import Batch
from models.corpus.pairs import Pair
from models.evaluation.segments import segments_of_pairs
from models.networks.architectures import build_model
from models.tokenization.tokenizer import Tokenizer
from models.training.events import TrainingEvent
from models.training.loop import validation
from models.training.loop.resume_state import RunProgress
from models.training.loop.validation import Validator
from models.training.process_group import Group
from tests.fakes.training.small_run import CONFIG, CPU, GRU

PAIRS: tuple[Pair, ...] = (("abc", "cba"), ("a", "a"), ("abcabc", "cbacba"), ("cc", "cc"), ("b", "b"))


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(["abc"], "character")


@pytest.mark.parametrize("batch_tokens", [1, 12, 1000])
def test_the_loss_is_the_mean_over_all_tokens_for_any_batching(
    batch_tokens: int, tokenizer: Tokenizer
) -> None:
    """Validation uses neither dropout nor label smoothing."""
    smoothed = replace(CONFIG.optimizer, label_smoothing=0.5)
    config = replace(CONFIG, batch_tokens=batch_tokens, optimizer=smoothed)
    model = build_model(GRU, tokenizer.vocab_size, Tokenizer.pad_id)
    total, tokens = 0.0, 0
    for pair in PAIRS:
        source, target = tokenizer.encode_ids(pair)
        single = Batch.from_ids([source], [target], bos_id=Tokenizer.bos_id, pad_id=Tokenizer.pad_id)
        log_probs = model.eval()(single).log_softmax(dim=-1)[0]
        total -= log_probs[torch.arange(len(target)), target].sum().item()
        tokens += len(target)
    loss = Validator(config, PAIRS, tokenizer, CPU, Group()).loss(model.train())
    assert loss == pytest.approx(total / tokens, rel=1e-5)


def test_the_best_loss_is_the_lowest_so_far(tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    script = iter([3.0, 3.0, 2.0, float("nan"), 2.9, 1.0])
    monkeypatch.setattr(Validator, "loss", lambda *_: next(script))
    validator, progress = Validator(CONFIG, PAIRS, tokenizer, CPU, Group()), RunProgress()
    model = build_model(GRU, tokenizer.vocab_size, Tokenizer.pad_id)
    events: list[TrainingEvent] = []
    hits = []
    for _ in range(6):
        result = validator.evaluate(model, progress, events.append)
        hits.append((result.best, progress.best_loss, progress.evaluations_without_gain))
        assert events[-1] is result
    assert hits == [(True, 3, 0), (False, 3, 1), (True, 2, 0), (False, 2, 1), (False, 2, 2), (True, 1, 0)]


def test_pairs_too_long_for_the_network_are_left_out(tokenizer: Tokenizer) -> None:
    long = ("a" * 50, "a")
    validator = Validator(CONFIG, (*PAIRS, long), tokenizer, CPU, Group())
    assert validator.pairs == list(PAIRS)
    assert sum(len(batch.src) for batch in validator.batches) == len(PAIRS)


def test_a_source_with_several_references_is_measured_once_against_all_references(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An evaluation groups references in the same way, so that card and command agree."""
    monkeypatch.setattr(
        validation, "translate", lambda model, tokenizer, texts, _, batch_rows: [t[::-1] for t in texts]
    )
    pairs = (*PAIRS, ("abc", "bbbb"), PAIRS[0])
    model = build_model(GRU, tokenizer.vocab_size, Tokenizer.pad_id)
    validator = Validator(replace(CONFIG, decode_valid=len(pairs)), pairs, tokenizer, CPU, Group())
    assert validator.evaluate(model, RunProgress(), lambda event: None).exact_match == 100
    assert segments_of_pairs(pairs).all[0].references == ("cba", "bbbb")

"""Banned tokens are rarely among the best; the ranking then serves the trace too."""

from __future__ import annotations

import pytest
import torch

from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.decoding.search.beam import NEG_INF
from models.decoding.search.constraints import NO_BAN, AppliedBan, BannedTokens, Bans, MinLength
from models.decoding.strategies import names
from models.decoding.trace import DecodingTrace
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry
from tests.documents import ROOT

WORDS = ("", "l e", "x", "u n r o l e d")  # the second and the last are among the best of some steps


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    return Registry(ROOT / "checkpoints").load("reverse-gru", torch.device("cpu"))


def traced(checkpoint: Checkpoint, strategy: str, banned: str) -> DecodingTrace:
    options = DecodingOptions(strategy=strategy, banned=banned, max_length=4)
    return decode(checkpoint.model, checkpoint.tokenizer, "unrolled", options)


@pytest.mark.parametrize("banned", WORDS)
@pytest.mark.parametrize("strategy", [name for name in names() if name != "exhaustive"])
def test_skipping_the_check_for_forbidden_tokens_does_not_change_the_trace(
    checkpoint: Checkpoint, strategy: str, banned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = traced(checkpoint, strategy, banned)
    monkeypatch.setattr(AppliedBan, "all_below", lambda *_: False)
    assert traced(checkpoint, strategy, banned) == quick


def test_forbidden_tokens_can_be_restored_and_compared_with_the_best() -> None:
    before = torch.tensor([[[-1.0, -2.0, -3.0, -4.0]]])
    log_probs = before.clone()
    forbidden = Bans([BannedTokens((3,), 0), MinLength(1, 2)], before.device).apply(log_probs, length=0)
    assert log_probs.tolist() == [[[-1.0, -2.0, NEG_INF, NEG_INF]]]
    forbidden.restore(log_probs)
    assert torch.equal(log_probs, before)
    ids = torch.zeros(1, 1, 3, dtype=torch.int64)
    assert forbidden.all_below((before[..., :2], ids[..., :2]))
    assert not forbidden.all_below((before[..., :3], ids))
    assert not forbidden.all_below(None)


def test_the_scores_are_unchanged_without_forbidden_tokens() -> None:
    log_probs = torch.tensor([[[-1.0, -2.0]]])
    bans = Bans([BannedTokens((), 0), MinLength(1, 1)], log_probs.device)
    assert bans.apply(log_probs, length=1) is NO_BAN
    assert NO_BAN.all_below(None)
    NO_BAN.restore(log_probs)
    assert log_probs.tolist() == [[[-1.0, -2.0]]]

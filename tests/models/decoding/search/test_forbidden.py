"""What every search forbids is hardly ever among the best: then what it has found is the trace's too."""

from __future__ import annotations

import pytest
import torch

from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.decoding.search import loop
from models.decoding.search.processors import BannedTokens
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
def test_the_trace_is_that_of_a_recorder_that_looks_for_itself(
    checkpoint: Checkpoint, strategy: str, banned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = traced(checkpoint, strategy, banned)
    monkeypatch.setattr(loop, "_best_are_own", lambda *_: False)
    assert traced(checkpoint, strategy, banned) == quick


def test_tokens_are_spared_where_all_of_the_best_are_more_probable() -> None:
    log_probs = torch.tensor([[[-1.0, -2.0, -3.0, -4.0]]])
    lowest = torch.tensor([[[-2.0]]])
    assert BannedTokens((2, 3), 0).spares(log_probs, lowest)
    assert BannedTokens((), 0).spares(log_probs, lowest)
    assert not BannedTokens((1, 3), 0).spares(log_probs, lowest)

"""Greedy search takes the likeliest token, however long the total before it and however full the batch."""

from __future__ import annotations

import pytest
import torch

from models.decoding.search.beam import Beam
from models.decoding.search.strategy import MAX_RANKED_BY_ROW
from models.decoding.strategies.greedy import Greedy
from tests.fakes.markov import EOS

VOCAB_SIZE = 30_000


@pytest.mark.parametrize("batch", [1, 4])
def test_nearly_equal_tokens_are_ranked_correctly_after_a_long_prefix(batch: int) -> None:
    log_probs = torch.full((batch, 1, VOCAB_SIZE), -20.0)
    log_probs[:, 0, 100], log_probs[:, 0, 200] = -0.693150, -0.693147  # -150 and these is the same number
    assert (log_probs.numel() > MAX_RANKED_BY_ROW) == (batch > 1), "or both would be ranked in one way"
    total = torch.full((batch, 1), -150.0)
    beam = Beam(torch.zeros(batch, 1, 5, dtype=torch.int64), total, total, EOS)
    assert Greedy().expand(log_probs, beam, torch.Generator()).tokens[:, 0].tolist() == [200] * batch

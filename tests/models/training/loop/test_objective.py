"""Scheduled sampling: whose token the decoder reads."""

from __future__ import annotations

import pytest
import torch

from models.batch import Batch
from models.networks.config import NetworkConfig
from models.training.loop.objective import with_own_tokens
from tests.fakes.tiny_networks import SAMPLE, tiny_batch, tiny_model

GRU = SAMPLE["gru-1-bi-initial-additive"]


def coins(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("config", SAMPLE.values(), ids=SAMPLE)
def test_without_teacher_forcing_the_decoder_reads_its_own_greedy_output(config: NetworkConfig) -> None:
    """Each input is the token that the network finds most probable after the inputs before it."""
    model, batch = tiny_model(config).eval(), tiny_batch()
    fed = with_own_tokens(model, batch, 0.0, coins())
    greedy = model(fed).argmax(dim=-1)  # (B, T)
    real = batch.tgt_mask[:, 1:]
    assert torch.equal(fed.tgt_in[:, 1:][real], greedy[:, :-1][real])
    assert torch.equal(fed.tgt_in[:, 0], batch.tgt_in[:, 0])
    for name in ("src", "src_mask", "tgt_out", "tgt_mask"):
        assert torch.equal(getattr(fed, name), getattr(batch, name))


@pytest.mark.parametrize("config", SAMPLE.values(), ids=SAMPLE)
def test_each_mixed_input_is_the_reference_token_or_the_prediction(config: NetworkConfig) -> None:
    model, batch = tiny_model(config).eval(), tiny_batch()
    for seed in range(5):
        fed = with_own_tokens(model, batch, 0.5, coins(seed))
        predicted = model(fed).argmax(dim=-1)[:, :-1]
        inputs, references, real = fed.tgt_in[:, 1:], batch.tgt_in[:, 1:], batch.tgt_mask[:, 1:]
        assert bool(((inputs == references) | (inputs == predicted))[real].all())
        assert torch.equal(inputs[~real], references[~real])  # padding stays padding


def test_the_ratio_is_the_share_of_reference_tokens() -> None:
    model, few = tiny_model(GRU).eval(), tiny_batch()
    batch = Batch(*(part.repeat(100, 1) for part in vars(few).values()))
    predicted = with_own_tokens(model, batch, 0.0, coins())
    differs = (predicted.tgt_in != batch.tgt_in)[:, 1:2]  # there the prefix is the start token alone
    assert bool(differs.any())
    share = [
        (with_own_tokens(model, batch, 0.7, coins(seed)).tgt_in[:, 1:2] == batch.tgt_in[:, 1:2])[differs]
        for seed in range(15)
    ]
    assert torch.cat(share).float().mean().item() == pytest.approx(0.7, abs=0.05)


def test_full_teacher_forcing_changes_nothing_and_decodes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model, batch = tiny_model(GRU), tiny_batch()
    monkeypatch.setattr(type(model), "step", lambda *_: pytest.fail("no step is needed"))
    assert with_own_tokens(model, batch, 1.0, coins()) is batch

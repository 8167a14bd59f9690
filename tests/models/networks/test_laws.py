"""Laws of every network, whatever its layers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from models.batch import Batch
from models.networks.base import Seq2SeqModel, StepOutput
from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from tests.fakes.tiny_networks import (
    BOS,
    CAPTIONERS,
    NETWORKS,
    PAD,
    SAMPLE,
    SOURCES,
    TARGETS,
    VOCAB_SIZE,
    assert_same,
    each_network,
    learns_by_heart,
    other,
    overfitting,
    start,
    tiny_batch,
    tiny_model,
    tiny_sources,
)

EVERY = NETWORKS | CAPTIONERS
SOME = SAMPLE | {name: CAPTIONERS[name] for name in ("captioner-2", "captioner-4-tied")}
every_network = each_network(EVERY)
some_networks = pytest.mark.parametrize("config", SOME.values(), ids=SOME)


def steps(model: Seq2SeqModel, batch: Batch) -> Iterator[StepOutput]:
    """The decoder run one token at a time over the given targets."""
    state = start(model, batch)
    for tokens in batch.tgt_in.unbind(1):
        output = model.step(tokens, state)
        state = output.state
        yield output


@every_network
def test_stepwise_logits_are_the_teacher_forced_ones(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    stepwise = torch.stack([output.logits for output in steps(model, batch)], dim=1)
    assert stepwise.shape == (*batch.tgt_in.shape, VOCAB_SIZE)
    assert_same(stepwise, model(batch))


@every_network
def test_the_output_layer_reads_the_hidden_state_that_a_step_returns(
    config: NetworkConfig, device: str
) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    for position, output in enumerate(steps(model, batch)):
        assert_same(model.project(output.hidden), output.logits)
        assert_same(output.hidden, model.features(batch)[:, position])


@every_network
def test_padding_is_neutral(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    more = 0 if config.reads_pictures else 2  # all pictures are of one size
    wider = Batch(
        *(F.pad(ids, (0, more), value=PAD) for ids in (batch.src, batch.src_mask)),
        *(F.pad(ids, (0, 2), value=PAD) for ids in (batch.tgt_in, batch.tgt_out, batch.tgt_mask)),
    )
    assert_same(model(wider)[:, : batch.tgt_in.shape[1]], model(batch))
    # The mask alone says what is padding, not the token under it.
    filled = replace(batch, src=torch.where(batch.src_mask, batch.src, other(batch.src)))
    assert_same(model(filled), model(batch))


@every_network
def test_a_batch_is_its_single_pairs(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    logits = model(batch)
    for row, (source, target) in enumerate(zip(tiny_sources(config), TARGETS, strict=True)):
        single = Batch.from_ids([source], [target], bos_id=BOS, pad_id=PAD).to(torch.device(device))
        assert_same(logits[row, : len(target)], model(single)[0])


@every_network
def test_attention_is_a_distribution_over_the_source(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    if isinstance(config, TransformerConfig):
        assert model.attention_shape == (config.num_decoder_layers, config.num_heads)
    if isinstance(config, RecurrentConfig):
        assert (model.attention_shape is None) == (config.attention == "none")
    source = model.encode(batch.src, batch.src_mask).mask
    for output in steps(model, batch):
        weights = output.cross_attention
        if model.attention_shape is None:
            assert weights is None
            continue
        assert weights is not None
        assert weights.shape == (len(SOURCES), *model.attention_shape, source.shape[1])
        assert_same(weights.sum(dim=-1), torch.ones_like(weights[..., 0]))
        mask = source[:, None, None].expand_as(weights)
        assert bool((weights[mask] > 0).all())
        assert bool((weights[~mask] == 0).all())


@every_network
def test_self_attention_is_a_distribution_over_earlier_tokens(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    weights = model.encode(batch.src, batch.src_mask).self_attention
    if weights is None:
        assert not isinstance(config, TransformerConfig)
        assert all(output.self_attention is None for output in steps(model, batch))
        return
    length = batch.src.shape[1]
    layers, heads = weights.shape[1:3]
    if isinstance(config, TransformerConfig):
        assert (layers, heads) == (config.num_layers, config.num_heads)
    assert weights.shape == (len(SOURCES), layers, heads, length, length)
    assert_same(weights.sum(dim=-1), torch.ones_like(weights[..., 0]))
    assert bool((weights[~batch.src_mask[:, None, None, None].expand_as(weights)] == 0).all())
    for position, output in enumerate(steps(model, batch)):
        ours = output.self_attention
        assert ours is not None
        assert model.attention_shape is not None
        assert ours.shape == (len(SOURCES), *model.attention_shape, position + 1)
        assert_same(ours.sum(dim=-1), torch.ones_like(ours[..., 0]))


@every_network
def test_the_decoder_reads_every_earlier_token_and_no_later_one(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    logits = model(batch)
    for position in range(batch.tgt_in.shape[1]):
        tgt_in = batch.tgt_in.clone()
        tgt_in[:, position:] = other(tgt_in[:, position:])
        changed = model(replace(batch, tgt_in=tgt_in))
        assert_same(changed[:, :position], logits[:, :position])
        assert bool(((changed - logits)[:, position].abs().amax(dim=-1) > 1e-6).all())
    unread = model(replace(batch, src=other(batch.src))) - logits
    assert bool((unread.abs().amax(dim=(1, 2)) > 1e-6).all())


@every_network
def test_training_without_dropout_computes_the_same(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    assert_same(model.train()(batch), model.eval()(batch))


@every_network
def test_every_parameter_learns(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(config, device), tiny_batch(device, config)
    model.train()(batch)[batch.tgt_mask].logsumexp(dim=-1).sum().backward()
    idle = [name for name, weight in model.named_parameters() if weight.grad is None or not weight.grad.any()]
    assert idle == []


@some_networks
def test_dropout_acts_in_training_alone(config: NetworkConfig, device: str) -> None:
    model, batch = tiny_model(replace(config, dropout=0.5), device), tiny_batch(device, config)
    assert torch.equal(model(batch), model(batch))
    model.train()
    assert not torch.equal(model(batch), model(batch))


@pytest.mark.slow
@some_networks
def test_a_tiny_model_overfits_eight_pairs(config: NetworkConfig, device: str) -> None:
    model, batch = overfitting(config, device)

    def loss() -> Tensor:
        return F.cross_entropy(model(batch)[batch.tgt_mask], batch.tgt_out[batch.tgt_mask])

    assert learns_by_heart(model, batch, loss), "eight pairs were too many"


@pytest.mark.gpu
@every_network
def test_the_device_computes_the_same_as_the_cpu(config: NetworkConfig, device: str) -> None:
    model = tiny_model(config).float()
    expected = model(tiny_batch(config=config)).detach()
    actual = model.to(device)(tiny_batch(device, config)).cpu()
    torch.testing.assert_close(actual, expected, rtol=1e-3, atol=1e-3)

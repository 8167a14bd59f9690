"""Removing a part of a network equals zeroing it, and leaves the network unchanged."""

from __future__ import annotations

import pytest
import torch

from models.inspection.dossier.ablation import HeadIndex, NetworkPart, UnitIndex, Without, check_part
from models.inspection.question import InspectionError
from models.networks.config import NetworkConfig
from models.networks.transformer.layers import DecoderLayer
from models.networks.transformer.model import TransformerModel
from tests.fakes.tiny_networks import SAMPLE, assert_same, each_network, tiny_batch, tiny_model
from tests.refusals import refused

ATTENDING = {
    name: config for name, config in SAMPLE.items() if tiny_model(config).attention_shape is not None
}
TRANSFORMER = SAMPLE["transformer-post-gelu"]  # 2 layers of 2 heads


@each_network(ATTENDING)
def test_removing_a_head_zeroes_only_its_weights(config: NetworkConfig) -> None:
    model, batch = tiny_model(config), tiny_batch()
    assert model.attention_shape is not None
    with torch.inference_mode():
        state = model.initial_state(model.encode(batch.src, batch.src_mask))
        for layer in range(model.attention_shape[0]):
            for head in range(model.attention_shape[1]):
                weights = (
                    Without(model, HeadIndex(layer, head)).step(batch.tgt_in[:, 0], state).cross_attention
                )
                assert weights is not None
                sums = weights.sum(dim=3)
                assert bool((sums[:, layer, head] == 0).all())
                sums[:, layer, head] = 1
                assert_same(sums, torch.ones_like(sums))


@each_network(SAMPLE)
def test_without_a_unit_the_output_layer_reads_zero(config: NetworkConfig) -> None:
    model, batch = tiny_model(config), tiny_batch()
    with torch.inference_mode():
        features = model.features(batch)
        expected = features.clone()
        expected[..., 1] = 0
        without = Without(model, UnitIndex(1))
        assert_same(without.features(batch)[batch.tgt_mask], expected[batch.tgt_mask])
        state = without.initial_state(without.encode(batch.src, batch.src_mask))
        output = without.step(batch.tgt_in[:, 0], state)
        assert_same(output.hidden, expected[:, 0])
        assert_same(output.logits, model.project(expected[:, 0]))


@pytest.mark.parametrize("part", [HeadIndex(0, 1), UnitIndex(2)])
def test_the_ablated_forward_pass_equals_its_steps(part: NetworkPart, device: str) -> None:
    without, batch = Without(tiny_model(TRANSFORMER, device), part), tiny_batch(device)
    with torch.inference_mode():
        state = without.initial_state(without.encode(batch.src, batch.src_mask))
        steps = []
        for tokens in batch.tgt_in.unbind(1):
            output = without.step(tokens, state)
            state = output.state
            steps.append(output.logits)
        assert_same(without(batch)[batch.tgt_mask], torch.stack(steps, dim=1)[batch.tgt_mask])


def test_removing_a_head_of_zero_output_costs_nothing() -> None:
    model, batch = tiny_model(TRANSFORMER), tiny_batch()
    assert isinstance(model, TransformerModel)
    layer = model.decoder[1]
    assert isinstance(layer, DecoderLayer)
    with torch.inference_mode():
        layer.cross_attention.output.weight[:, 4:] = 0  # the part of head 2 of 2
        assert_same(Without(model, HeadIndex(1, 1))(batch), model(batch))
        changed = Without(model, HeadIndex(1, 0))(batch)
        assert not torch.allclose(changed, model(batch))


def test_an_attention_override_stays_except_for_the_removed_head() -> None:
    model, batch = tiny_model(TRANSFORMER), tiny_batch()
    with torch.inference_mode():
        state = model.initial_state(model.encode(batch.src, batch.src_mask))
        override = torch.full((1, 2, 2, batch.src.shape[1]), torch.nan)
        override[:, 1] = 0.25
        output = Without(model, HeadIndex(1, 0)).step(batch.tgt_in[:, 0], state, override)
    assert output.cross_attention is not None
    assert bool((output.cross_attention[:, 1, 0] == 0).all())
    assert bool((output.cross_attention[:, 1, 1] == 0.25).all())


def test_the_network_is_unchanged_afterwards() -> None:
    model, batch = tiny_model(TRANSFORMER), tiny_batch()
    with torch.inference_mode():
        before = model(batch)
        Without(model, HeadIndex(0, 0))(batch)
        Without(model, UnitIndex(0))(batch)
        assert torch.equal(model(batch), before)


def test_a_nonexistent_part_is_refused() -> None:
    model = tiny_model(TRANSFORMER)
    check_part(model, HeadIndex(1, 1), 8)
    check_part(model, UnitIndex(7), 8)
    for part in (HeadIndex(2, 0), HeadIndex(0, 2), HeadIndex(-1, 0)):
        with refused(InspectionError, "no_such_head", 2):
            check_part(model, part, 8)
    with refused(InspectionError, "no_such_output_unit", 9, 8):
        check_part(model, UnitIndex(8), 8)
    with refused(InspectionError, "no_heads"):
        check_part(tiny_model(SAMPLE["rnn-1-uni-initial-none"]), HeadIndex(0, 0), 8)

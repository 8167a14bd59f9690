"""An override of attention is used, and changes nothing else."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from models.networks.base import DecoderState, Seq2SeqModel, StepOutput
from models.networks.config import NetworkConfig
from tests.fakes.tiny_networks import (
    NETWORKS,
    SAMPLE,
    SOURCES,
    assert_same,
    each_network,
    tiny_batch,
    tiny_model,
)

ATTENTIVE = {
    name: config for name, config in NETWORKS.items() if getattr(config, "attention", "heads") != "none"
}
networks_with_attention = each_network(ATTENTIVE)


def second_step(model: Seq2SeqModel, override: Tensor | None = None) -> StepOutput:
    """Take a step on a later state than the first."""
    batch = tiny_batch()
    state: DecoderState = model.initial_state(model.encode(batch.src, batch.src_mask))
    state = model.step(batch.tgt_in[:, 0], state).state
    return model.step(batch.tgt_in[:, 1], state, override)


def attention_of(output: StepOutput) -> Tensor:
    assert output.cross_attention is not None
    return output.cross_attention


@networks_with_attention
def test_replacing_attention_by_the_networks_own_changes_nothing(config: NetworkConfig) -> None:
    model = tiny_model(config)
    plain = second_step(model)
    replaced = second_step(model, attention_of(plain))
    assert_same(replaced.logits, plain.logits)
    assert torch.equal(attention_of(replaced), attention_of(plain))


@networks_with_attention
def test_a_row_of_nan_replaces_nothing(config: NetworkConfig) -> None:
    model = tiny_model(config)
    plain, replaced = second_step(model), second_step(model, torch.tensor(float("nan")))
    assert torch.equal(replaced.logits, plain.logits)
    assert torch.equal(attention_of(replaced), attention_of(plain))


@networks_with_attention
def test_a_replaced_row_is_used_and_returned_and_changes_the_output(config: NetworkConfig) -> None:
    """Every row attends to the first source token, which is never padding."""
    model = tiny_model(config)
    first = torch.zeros(tiny_batch().src.shape[1])
    first[0] = 1.0
    plain, replaced = second_step(model), second_step(model, first)
    assert torch.equal(attention_of(replaced), first.to(attention_of(plain)).expand_as(attention_of(plain)))
    long = [row for row, source in enumerate(SOURCES) if len(source) > 1]
    assert bool(((replaced.logits - plain.logits)[long].abs().amax(dim=-1) > 1e-6).all())
    alone = next(row for row, source in enumerate(SOURCES) if len(source) == 1)
    assert_same(replaced.logits[alone], plain.logits[alone])  # a single token has all attention anyway


@networks_with_attention
def test_the_next_state_depends_on_the_replaced_attention(config: NetworkConfig) -> None:
    """The state changes only if a layer follows the attention; a recurrent cell precedes it."""
    model, first = tiny_model(config), torch.zeros(tiny_batch().src.shape[1])
    first[0] = 1.0
    plain, replaced = second_step(model).state, second_step(model, first).state
    token = tiny_batch().tgt_in[:, 1]
    changed = not torch.allclose(model.step(token, plain).logits, model.step(token, replaced).logits)
    assert changed == hasattr(config, "num_heads")


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("head", [0, 1])
def test_one_head_of_one_layer_and_one_row_is_replaced_alone(layer: int, head: int) -> None:
    model = tiny_model(SAMPLE["transformer-pre-relu-shared-tied"])
    plain = second_step(model)
    override = torch.full_like(attention_of(plain), float("nan"))
    override[0, layer, head] = torch.tensor([0.5, 0.0, 0.5, 0.0, 0.0])
    replaced = second_step(model, override)
    assert torch.equal(attention_of(replaced)[0, layer, head], override[0, layer, head])
    # The layers below and the other heads of this one do not change; the layers above do.
    assert_same(attention_of(replaced)[0, :layer], attention_of(plain)[0, :layer])
    assert_same(attention_of(replaced)[0, layer, 1 - head], attention_of(plain)[0, layer, 1 - head])
    assert layer == 1 or not torch.allclose(attention_of(replaced)[0, 1], attention_of(plain)[0, 1])
    assert not torch.allclose(replaced.logits[0], plain.logits[0])
    assert_same(replaced.logits[1:], plain.logits[1:])


@pytest.mark.parametrize("name", ["rnn-1-uni-initial-none", "lstm-2-bi-concat-none"])
def test_a_network_without_attention_refuses_an_override(name: str) -> None:
    with pytest.raises(ValueError, match=r"override.*None"):
        second_step(tiny_model(SAMPLE[name]), torch.ones(1))


@pytest.mark.parametrize("name", ["gru-1-bi-initial-additive", "transformer-post-gelu"])
def test_a_wrong_shape_is_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(ValueError, match=r"override.*\(3, .*\(4,\)"):
        second_step(tiny_model(SAMPLE[name]), torch.ones(4))

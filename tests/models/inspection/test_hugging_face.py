"""Attribution in networks of the transformers library, whose vectors some of them scale on the way in."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import chain

import pytest
import torch

from models.inspection.attentions import OUTPUT_LAYERS, attention_values
from models.inspection.contributions import contributions, source_gain
from models.inspection.heads import measure_heads
from models.inspection.methods import METHODS, attribute
from models.inspection.question import ExplainedPrediction, InspectionError, Question
from models.networks.hugging_face import HuggingFaceModel
from models.networks.packed import can_pack, pack_linears
from tests.fakes.hugging_face.networks import FAMILIES, Family, batch_of, each_family, in_double
from tests.refusals import refused

pytestmark = pytest.mark.slow


@each_family
def test_every_method_explains_what_the_library_computes(family: Family) -> None:
    """F by vectors equals F by ids from `forward`, also with a replaced token."""
    model, batch = HuggingFaceModel(in_double(family.make())), batch_of(family)
    row = int(batch.src_mask.sum(dim=1).argmax())
    source = batch.src[row][batch.src_mask[row]]
    target = batch.tgt_in[row][batch.tgt_mask[row]]
    token = int(batch.tgt_out[row][batch.tgt_mask[row]][-1])
    other = int(source[1])

    def log_prob(ids: torch.Tensor) -> float:
        with torch.no_grad():
            encoded = model.encode(ids.unsqueeze(0), torch.ones(1, len(ids), dtype=torch.bool))
            state = model.initial_state(encoded)
            for token_id in target:
                output = model.step(token_id.unsqueeze(0), state)
                state = output.state  # type: ignore[assignment]
        return float(output.logits.log_softmax(dim=-1)[0, token])

    question = Question(tuple(source.tolist()), tuple(target.tolist()), token, replacement=other)
    value, attributions = attribute(model, question)
    assert attributions.keys() == METHODS.keys()
    assert value == pytest.approx(log_prob(source), abs=1e-6)
    without = source.clone()
    without[0] = other
    assert attributions["replaced"].source[0] == pytest.approx(value - log_prob(without), abs=1e-6)
    assert all(len(attribution.source) == len(source) for attribution in attributions.values())
    assert all(parameter.grad is None for parameter in model.parameters())


def question_of(family: Family) -> Question:
    batch = batch_of(family)
    return Question(
        tuple(batch.src[0][batch.src_mask[0]].tolist()),
        tuple(batch.tgt_in[1][batch.tgt_mask[1]].tolist()),
        int(batch.tgt_out[1][batch.tgt_mask[1]][-1]),
    )


@each_family
def test_ablating_a_head_is_zeroing_its_output_weights(family: Family) -> None:
    model, question = HuggingFaceModel(in_double(family.make())), question_of(family)
    prediction = ExplainedPrediction(model, question)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    hooks = [len(part._forward_hooks) for part in model.modules()]  # the library has some of its own
    for kind, modules in model.attentions.items():
        all_heads = measure_heads(prediction, kind)
        assert len(all_heads.layers) == len(modules) == 2
        for head in (head for layer in all_heads.layers for head in layer):
            fresh = HuggingFaceModel(in_double(family.make()))
            output = output_layer(fresh, kind, head.layer)
            width = output.in_features // len(all_heads.layers[0])
            with torch.no_grad():
                output.weight[:, head.head * width : (head.head + 1) * width] = 0
            assert head.cost == pytest.approx(
                prediction.value - ExplainedPrediction(fresh, question).value, abs=1e-6
            )
            expected = measure_heads(ExplainedPrediction(fresh, question), kind).layers[head.layer][head.head]
            assert expected.cost == pytest.approx(0, abs=1e-6)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert [len(part._forward_hooks) for part in model.modules()] == hooks


def output_layer(model: HuggingFaceModel, kind: str, layer: int) -> torch.nn.Linear:
    attention = model.attentions[kind][layer]
    (output,) = [layer for name in OUTPUT_LAYERS if (layer := getattr(attention, name, None)) is not None]
    assert isinstance(output, torch.nn.Linear)
    return output


@each_family
def test_attention_outputs_are_sums_of_their_parts(family: Family) -> None:
    """The weights equal those of `encode` and `step`, and the parts add up to the attention's output."""
    model, question = HuggingFaceModel(in_double(family.make())), question_of(family)
    prediction = ExplainedPrediction(model, question)
    outputs: dict[torch.nn.Module, torch.Tensor] = {}
    hooks = [
        module.register_forward_hook(lambda layer, _, output: outputs.__setitem__(layer, output[0][0]))
        for modules in model.attentions.values()
        for module in modules
    ]
    mixed = attention_values(prediction, prediction.prefix)
    for hook in hooks:
        hook.remove()
    with torch.no_grad():
        encoded = model.encode(prediction.source, prediction.mask)
        state = model.initial_state(encoded)
        for tokens in prediction.prefix.unbind(1):
            output = model.step(tokens, state)
            state = output.state  # type: ignore[assignment]
    weights = {kind: torch.stack([layer.weights for layer in layers]) for kind, layers in mixed.items()}
    assert encoded.self_attention is not None
    assert output.cross_attention is not None
    assert output.self_attention is not None
    torch.testing.assert_close(weights["encoder"], encoded.self_attention[0])
    torch.testing.assert_close(weights["cross"][:, :, -1], output.cross_attention[0])
    torch.testing.assert_close(weights["decoder"][:, :, -1], output.self_attention[0])
    for kind, modules in model.attentions.items():
        for layer, (module, attention) in enumerate(zip(modules, mixed[kind], strict=True)):
            total, bias = attention.parts().sum(dim=1), output_layer(model, kind, layer).bias
            torch.testing.assert_close(total if bias is None else total + bias, outputs[module])
            assert attention.norms() is not None


@pytest.mark.skipif(not can_pack(), reason="this processor has no kernels for packed weights")
def test_packed_weights_give_the_same_heads() -> None:
    family = FAMILIES["t5"]
    theirs = family.make().half().float()
    model, packed = HuggingFaceModel(copy.deepcopy(theirs)), HuggingFaceModel(theirs)
    pack_linears(packed)
    for kind in model.attentions:
        plain_heads, packed_heads = (
            measure_heads(ExplainedPrediction(one, question_of(family)), kind).layers
            for one in (model, packed)
        )
        for one, other in zip(chain(*plain_heads), chain(*packed_heads), strict=True):
            assert one.cost == pytest.approx(other.cost, abs=1e-4)
            assert one.norms is not None
            assert other.norms is not None
            assert list(chain(*one.norms)) == pytest.approx(list(chain(*other.norms)), abs=1e-4)


def test_heads_have_no_norms_beside_an_unusual_output_layer() -> None:
    family = FAMILIES["bart"]
    model = HuggingFaceModel(family.make())
    attention = model.attentions["cross"][1]
    attention.out_proj = torch.nn.Sequential(attention.out_proj)
    first, second = measure_heads(ExplainedPrediction(model, question_of(family)), "cross").layers
    assert first[0].norms is not None
    assert {head.norms for head in second} == {None}


@each_family
def test_the_gain_of_a_source_does_not_depend_on_padding(family: Family) -> None:
    model, batch, question = HuggingFaceModel(in_double(family.make())), batch_of(family), question_of(family)
    output = (*question.prefix[1:], question.token)
    others = [row[mask].tolist() for row, mask in zip(batch.src[1:], batch.src_mask[1:], strict=True)]
    prediction = ExplainedPrediction(model, question)
    gain = source_gain(prediction, output, others)
    for source, log_probs in zip(
        (question.source, *others), (gain.log_probs, *gain.log_probs_after_others), strict=True
    ):
        alone = ExplainedPrediction(model, replace(question, source=tuple(source)))
        assert log_probs[-1] == pytest.approx(alone.value, abs=1e-6)
    with refused(InspectionError, "no_parts"):
        contributions(prediction, question.prefix)

"""The cost of a head is that of a network without it, and its description is measured on its weights."""

from __future__ import annotations

import copy
import math
from dataclasses import replace
from itertools import chain

import pytest
import torch
from torch import nn

from models import budget
from models.inspection.attentions import kinds, values_under_factors
from models.inspection.contributions import contributions, source_gain
from models.inspection.heads import READ, Heads, measure_heads
from models.inspection.methods import attribute
from models.inspection.question import ExplainedPrediction, InspectionError, Question
from models.inspection.recorded_pass import CROSS, DECODER, ENCODER
from models.networks.base import EmbeddingModel
from models.networks.config import NetworkConfig
from models.networks.packed import can_pack, pack_linears
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.networks.transformer.layers import DecoderLayer, EncoderLayer
from models.networks.transformer.model import TransformerModel
from tests.fakes.tiny_networks import (
    BOS,
    CAPTIONERS,
    EOS,
    NETWORKS,
    SAMPLE,
    each_network,
    tiny_model,
    tiny_pictures,
)
from tests.refusals import refused

QUESTION = Question((5, 6, 7, 8, EOS), (BOS, 12, 11), 10)
OUTPUT = (12, 11, 10, 9, EOS)
TRANSFORMERS = {name: config for name, config in NETWORKS.items() if isinstance(config, TransformerConfig)}
KINDS = (CROSS, ENCODER, DECODER)
# Recurrent networks with attention, of which there is one head.
ONE_HEAD = {
    name: config
    for name, config in SAMPLE.items()
    if isinstance(config, RecurrentConfig) and config.attention != "none"
}


def without_head(model: TransformerModel, kind: str, layer: int, head: int) -> TransformerModel:
    """A new network whose output weights of this head are zero."""
    fresh = copy.deepcopy(model)
    part = (fresh.encoder if kind == ENCODER else fresh.decoder)[layer]
    assert isinstance(part, EncoderLayer | DecoderLayer)
    attention = part.cross_attention if kind == CROSS else part.self_attention
    assert isinstance(attention.output, nn.Linear)
    width = attention.output.in_features // attention.num_heads
    with torch.no_grad():
        attention.output.weight[:, head * width : (head + 1) * width] = 0
    return fresh


@each_network(TRANSFORMERS)
def test_ablating_a_head_is_zeroing_its_output_weights(config: TransformerConfig) -> None:
    model = tiny_model(config)
    assert isinstance(model, TransformerModel)
    prediction = ExplainedPrediction(model, QUESTION)
    for kind in KINDS:
        result = measure_heads(prediction, kind, OUTPUT)
        for head in (head for layer in result.layers for head in layer):
            fresh = without_head(model, kind, head.layer, head.head)
            assert head.cost == pytest.approx(
                prediction.value - ExplainedPrediction(fresh, QUESTION).value, abs=1e-6
            )
            expected = measure_heads(ExplainedPrediction(fresh, QUESTION), kind).layers[head.layer][head.head]
            assert expected.cost == pytest.approx(0, abs=1e-6)


@each_network(TRANSFORMERS)
def test_every_step_of_the_output_has_a_row(config: TransformerConfig) -> None:
    prediction = ExplainedPrediction(tiny_model(config), QUESTION)
    length, size = len(OUTPUT), len(QUESTION.source)
    shapes = {CROSS: (length, size), ENCODER: (size, size), DECODER: (length, length)}
    for kind, (rows, columns) in shapes.items():
        result = measure_heads(prediction, kind, OUTPUT)
        assert len(result.layers) == (config.num_layers if kind == ENCODER else config.num_decoder_layers)
        for head in (head for layer in result.layers for head in layer):
            assert head.norms is not None
            for grid in (head.weights, head.norms, result.rollout[head.layer]):
                assert (len(grid), {len(row) for row in grid}) == (rows, {columns})
            for row in head.weights:
                assert math.fsum(row) == pytest.approx(1)
    within, cross = measure_heads(prediction, DECODER, OUTPUT), measure_heads(prediction, CROSS, OUTPUT)
    for self_rows, cross_rows in zip(within.rollout, cross.rollout, strict=True):
        for one, other in zip(self_rows, cross_rows, strict=True):
            assert math.fsum((*one, *other)) == pytest.approx(1)
    assert all(
        row[index + 1 :] == (0,) * (length - index - 1) for index, row in enumerate(within.rollout[-1])
    )


@each_network(SAMPLE)
def test_every_attention_can_be_measured_and_leaves_no_trace(config: NetworkConfig) -> None:
    model = tiny_model(config)
    prediction = ExplainedPrediction(model, QUESTION)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    for kind in KINDS:
        if kind in kinds(model):
            assert measure_heads(prediction, kind, OUTPUT).kind == kind
        else:
            with refused(InspectionError, "no_such_attention"):
                measure_heads(prediction, kind, OUTPUT)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert not any(part._forward_hooks or part._backward_hooks for part in model.modules())


@each_network({**ONE_HEAD, **CAPTIONERS})
def test_removing_the_head_of_a_recurrent_decoder_equals_a_zero_context(config: NetworkConfig) -> None:
    model = tiny_model(config)
    assert isinstance(model, EmbeddingModel)
    assert kinds(model) == (CROSS,)
    source = tiny_pictures(config, 1)[0] if config.reads_pictures else QUESTION.source
    prediction = ExplainedPrediction(model, replace(QUESTION, source=source))
    ((head,),) = measure_heads(prediction, CROSS, OUTPUT).layers
    assert head.norms is None
    with torch.no_grad():
        state = model.initial_state(model.encode(prediction.source, prediction.mask))
        for tokens in prediction.prefix.unbind(1):
            output = model.step(tokens, state, torch.zeros(1, 1, 1, 1))
            state = output.state  # type: ignore[assignment]
        blind = float(output.logits.log_softmax(dim=-1)[0, QUESTION.token])
    assert head.cost == pytest.approx(prediction.value - blind, abs=1e-6)
    with pytest.raises(ValueError, match="factors"):
        values_under_factors(prediction, {(CROSS, 0): torch.full((2, 1, 1, 1), 0.5)})


def heads_of(model: EmbeddingModel, kind: str, reading: str) -> Heads:
    return measure_heads(ExplainedPrediction(model, QUESTION), kind, OUTPUT, reading)


def test_the_description_of_a_head_is_measured_on_its_weights() -> None:
    model = tiny_model(SAMPLE["transformer-post-gelu"])
    assert isinstance(model, EmbeddingModel)
    head = heads_of(model, DECODER, "written").layers[1][1]
    rows = head.weights[1:]  # the first sees the start token alone
    entropies = [-math.fsum(weight * math.log(weight) for weight in row if weight) for row in rows]
    assert head.statistics.entropy == pytest.approx(math.fsum(entropies) / len(rows))
    assert head.statistics.widest == pytest.approx(math.fsum(map(math.log, (2, 3, 4, 5))) / 4)
    shares = dict(head.statistics.shares)
    assert shares["previous"] == pytest.approx(math.fsum(row[index] for index, row in enumerate(rows)) / 4)
    assert shares["itself"] == pytest.approx(math.fsum(row[index + 1] for index, row in enumerate(rows)) / 4)
    assert shares["first"] == pytest.approx(math.fsum(row[0] for row in rows) / 4)
    assert head.statistics.strongest[1] == max(shares.values())
    encoder = heads_of(model, ENCODER, "written").layers[0][0]
    second = [row[index + 2] for index, row in enumerate(encoder.weights[:-2])]
    assert dict(encoder.statistics.shares)["second"] == pytest.approx(
        math.fsum(second) / len(encoder.weights)
    )
    cross_head = heads_of(model, CROSS, "written").layers[0][0]
    near = [
        weight
        for index, row in enumerate(cross_head.weights)
        for weight in row[max(index - 1, 0) : index + 2]
    ]
    assert dict(cross_head.statistics.shares)["diagonal"] == pytest.approx(math.fsum(near) / 5)
    end = [row[-1] for row in cross_head.weights]
    assert dict(cross_head.statistics.shares)["end"] == pytest.approx(math.fsum(end) / 5)


def test_a_row_belongs_to_the_written_or_the_read_token() -> None:
    """Both readings give the same weights; their diagonals differ by one row."""
    model = tiny_model(SAMPLE["transformer-post-gelu"])
    assert isinstance(model, EmbeddingModel)
    by_output, read = (heads_of(model, CROSS, reading).layers[0][0] for reading in ("written", READ))
    assert by_output.weights == read.weights
    near = [weight for index, row in enumerate(read.weights) for weight in row[max(index - 2, 0) : index + 1]]
    assert dict(read.statistics.shares)["diagonal"] == pytest.approx(math.fsum(near) / 5)
    with pytest.raises(ValueError, match=r"reading.*'spoken'"):
        heads_of(model, CROSS, "spoken")


@pytest.mark.skipif(not can_pack(), reason="this processor has no kernels for packed weights")
def test_packed_weights_give_the_same_heads() -> None:
    config = SAMPLE["transformer-pre-relu-shared-tied"]
    model, packed = (tiny_model(config).float() for _ in range(2))
    for parameter in model.parameters():
        parameter.data = parameter.data.half().float()
    packed.load_state_dict(model.state_dict())
    pack_linears(packed)
    assert isinstance(model, EmbeddingModel)
    assert isinstance(packed, EmbeddingModel)
    for kind in KINDS:
        plain_heads, packed_heads = heads_of(model, kind, READ), heads_of(packed, kind, READ)
        for one, other in zip(chain(*plain_heads.layers), chain(*packed_heads.layers), strict=True):
            assert one.cost == pytest.approx(other.cost, abs=1e-4)
            assert one.norms is not None
            assert other.norms is not None
            for row, same in zip(one.norms, other.norms, strict=True):
                assert row == pytest.approx(same, abs=1e-4)


@pytest.mark.skipif(not can_pack(), reason="this processor has no kernels for packed weights")
def test_weights_of_8_bits_can_be_measured() -> None:
    rounded = tiny_model(SAMPLE["transformer-post-gelu"]).float()
    pack_linears(rounded, "int8")
    assert isinstance(rounded, EmbeddingModel)
    for kind in KINDS:
        assert all(head.norms for head in chain(*heads_of(rounded, kind, READ).layers))


def test_a_long_text_takes_several_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model(SAMPLE["transformer-post-gelu"])
    assert isinstance(model, EmbeddingModel)
    whole = heads_of(model, CROSS, READ)
    monkeypatch.setattr(budget, "PASS_BYTES", 1)  # one row
    for one, other in zip(chain(*whole.layers), chain(*heads_of(model, CROSS, READ).layers), strict=True):
        assert one.cost == pytest.approx(other.cost, abs=1e-9)


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["transformer-post-gelu", "transformer-pre-relu-shared-tied"])
def test_an_accelerator_gives_the_same_heads_and_contributions(device: str, name: str) -> None:
    on_cpu, on_device = tiny_model(SAMPLE[name]), tiny_model(SAMPLE[name], device)
    assert isinstance(on_cpu, EmbeddingModel)
    assert isinstance(on_device, EmbeddingModel)
    for kind in KINDS:
        for one, other in zip(
            chain(*heads_of(on_cpu, kind, READ).layers),
            chain(*heads_of(on_device, kind, READ).layers),
            strict=True,
        ):
            assert one.cost == pytest.approx(other.cost, abs=1e-4)
            assert list(chain(*one.weights)) == pytest.approx(list(chain(*other.weights)), abs=1e-5)
            assert one.statistics.entropy == pytest.approx(other.statistics.entropy, abs=1e-4)
    result, device_result = (
        contributions(ExplainedPrediction(one, QUESTION), QUESTION.prefix) for one in (on_cpu, on_device)
    )
    assert result.from_source == pytest.approx(device_result.from_source, abs=1e-4)
    gains = [
        source_gain(ExplainedPrediction(one, QUESTION), OUTPUT, [(9, EOS), (4, 6, EOS)]).gains
        for one in (on_cpu, on_device)
    ]
    assert gains[0] == pytest.approx(gains[1], abs=1e-4)
    zeroed = [attribute(one, QUESTION, ["value_zeroing"])[1]["value_zeroing"] for one in (on_cpu, on_device)]
    assert zeroed[0].source == pytest.approx(zeroed[1].source, abs=1e-4)

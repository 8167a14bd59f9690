"""Contributions sum to one, and equal the formulas of the paper computed by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from models.decoding.judge.rescore import rescore_ids
from models.inspection import contributions as module
from models.inspection.contributions import SourceGain, contributions, source_gain
from models.inspection.question import ExplainedPrediction, InspectionError, Question
from models.inspection.recorded_pass import CROSS, DECODER, ENCODER, AttentionBlock, record_pass
from models.networks.base import Seq2SeqModel
from models.networks.config import NetworkConfig
from models.networks.packed import can_pack, pack_linears
from models.networks.transformer.config import TransformerConfig
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

SOURCE, OUTPUT, OTHERS = (5, 6, 7, 8, EOS), (12, 11, 10, 9, EOS), ((9, EOS), (10, 4, 6, 11, 12, EOS))
READ = (BOS, *OUTPUT[:-1])
QUESTION = Question(SOURCE, READ[:3], OUTPUT[2])
transformers = each_network(
    {name: config for name, config in NETWORKS.items() if isinstance(config, TransformerConfig)}
)


@transformers
def test_contributions_of_source_and_prefix_sum_to_one(config: TransformerConfig) -> None:
    result = contributions(ExplainedPrediction(tiny_model(config), QUESTION), READ)
    for index, (source, prefix, share) in enumerate(
        zip(result.source, result.prefix, result.from_source, strict=True)
    ):
        assert (len(source), len(prefix)) == (len(SOURCE), len(READ))
        assert min(*source, *prefix) >= 0
        assert math.fsum((*source, *prefix)) == pytest.approx(1, abs=1e-9)
        assert math.fsum(source) == pytest.approx(share)
        assert not any(prefix[index + 1 :]), "a token that is not yet written"


@transformers
def test_the_shares_are_those_of_the_paper(config: TransformerConfig) -> None:
    """The formulas are written again, one part at a time."""
    model = tiny_model(config)
    assert isinstance(model, TransformerModel)
    prediction = ExplainedPrediction(model, QUESTION)
    with torch.no_grad():
        recorded = record_pass(model, prediction.vectors[0], model.embed_target(torch.tensor([READ])))
        encoder = torch.eye(len(SOURCE)).double()
        for block in recorded.of_kind(ENCODER):
            encoder = by_hand(block, with_residual=True) @ encoder
        source, prefix = torch.zeros(len(READ), len(SOURCE)).double(), torch.eye(len(READ)).double()
        for self_block, cross in zip(recorded.of_kind(DECODER), recorded.of_kind(CROSS), strict=True):
            shares = by_hand(cross, with_residual=False)
            mixed, residual = by_hand(self_block, with_residual=True), shares[:, -1:]
            source = shares[:, :-1] @ encoder + residual * (mixed @ source)
            prefix = residual * (mixed @ prefix)
    result = contributions(prediction, READ)
    torch.testing.assert_close(torch.tensor(result.source).double(), source, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(torch.tensor(result.prefix).double(), prefix, rtol=1e-6, atol=1e-6)


def by_hand(block: AttentionBlock, *, with_residual: bool) -> Tensor:
    """Shares (T, N), or (T, S + 1) with the residual last."""
    weights, transformed = block.attention.weights, block.attention.transformed()
    assert transformed is not None
    rows = []
    for i, output in enumerate(block.output):
        parts = [
            sum(weights[head, i, j] * transformed[head, j] for head in range(len(weights)))
            for j in range(weights.shape[2])
        ]
        if with_residual:
            parts[i] = parts[i] + block.residual[i]
        else:
            parts.append(block.residual[i])
        if block.norm is not None:
            spread = ((block.residual[i] + block.update[i]).var(unbiased=False) + block.norm.eps) ** 0.5
            parts = [block.norm.weight * (part - part.mean()) / spread for part in parts]  # type: ignore[union-attr]
        near = [max(0.0, float(output.abs().sum() - (output - part).abs().sum())) for part in parts]
        if not any(near):
            near = [float(bool(part.any())) for part in parts]  # type: ignore[union-attr]
        rows.append([share / math.fsum(near) for share in near])
    return torch.tensor(rows).double()


def test_a_long_text_is_measured_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    prediction = ExplainedPrediction(tiny_model(SAMPLE["transformer-post-gelu"]), QUESTION)
    whole = contributions(prediction, READ)
    monkeypatch.setattr(module, "MAX_PART_NUMBERS", 100)
    in_parts = contributions(prediction, READ)
    for one, other in zip((*whole.source, *whole.prefix), (*in_parts.source, *in_parts.prefix), strict=True):
        assert one == pytest.approx(other)


@pytest.mark.skipif(not can_pack(), reason="this processor has no kernels for packed weights")
def test_packed_weights_give_the_same_contributions() -> None:
    model, packed = (tiny_model(SAMPLE["transformer-post-gelu"]).float() for _ in range(2))
    for parameter in model.parameters():
        parameter.data = parameter.data.half().float()
    packed.load_state_dict(model.state_dict())
    pack_linears(packed)
    result, packed_result = (
        contributions(ExplainedPrediction(one, QUESTION), READ) for one in (model, packed)
    )
    assert result.from_source == pytest.approx(packed_result.from_source, abs=1e-4)


@each_network({name: config for name, config in SAMPLE.items() if not isinstance(config, TransformerConfig)})
def test_networks_without_known_parts_are_refused(config: NetworkConfig) -> None:
    with refused(InspectionError, "no_parts"):
        contributions(ExplainedPrediction(tiny_model(config), QUESTION), READ)


@each_network({**SAMPLE, **CAPTIONERS})
def test_the_gain_of_a_source_is_its_advantage_over_others(config: NetworkConfig) -> None:
    model = tiny_model(config)
    source, *others = tiny_pictures(config, 3) if config.reads_pictures else (SOURCE, *OTHERS)
    result = source_gain(ExplainedPrediction(model, replace(QUESTION, source=source)), OUTPUT, others)
    assert result.log_probs == pytest.approx(log_probs_of(model, source, OUTPUT), abs=1e-5)
    for log_probs, other in zip(result.log_probs_after_others, others, strict=True):
        assert log_probs == pytest.approx(log_probs_of(model, other, OUTPUT), abs=1e-5)
    for index, gain in enumerate(result.gains):
        mean = math.fsum(other[index] for other in result.log_probs_after_others) / len(others)
        assert gain == pytest.approx(result.log_probs[index] - mean)


def log_probs_of(model: Seq2SeqModel, source: tuple[int, ...], output: tuple[int, ...]) -> list[float]:
    return [step.log_prob for step in rescore_ids(model, source, output)]


def test_the_same_source_gains_nothing() -> None:
    prediction = ExplainedPrediction(tiny_model(SAMPLE["gru-1-bi-initial-additive"]), QUESTION)
    assert source_gain(prediction, OUTPUT, [SOURCE] * 20).gains == pytest.approx([0] * len(OUTPUT), abs=1e-9)
    assert SourceGain((-1.0,), ((-2.0,), (-4.0,))).gains == (2.0,)
    with refused(InspectionError, "no_other_sources"):
        source_gain(prediction, OUTPUT, ())

"""Explanations of recurrent networks are the same on an accelerator as on the CPU."""

from __future__ import annotations

import pytest
import torch

from models.inspection.question import ExplainedPrediction, Question
from models.inspection.recurrence import through_time
from models.inspection.units import units_over_time
from models.inspection.wrapper import Clamp, clamp_units
from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from tests.fakes.tiny_networks import (
    BOS,
    EOS,
    PAD,
    SAMPLE,
    SOURCES,
    TARGETS,
    each_network,
    tiny_batch,
    tiny_model,
)

RECURRENT = {name: config for name, config in SAMPLE.items() if isinstance(config, RecurrentConfig)}
QUESTION = Question((5, 6, 7, 8, EOS), (BOS, 12, 11, 9), 10)

pytestmark = pytest.mark.gpu


@each_network(RECURRENT)
def test_an_accelerator_gives_the_same_explanations(config: NetworkConfig, device: str) -> None:
    on_cpu, on_device = tiny_model(config), tiny_model(config, device)
    result = [units_over_time(one, SOURCES, TARGETS, bos_id=BOS, pad_id=PAD) for one in (on_cpu, on_device)]
    for one, other in zip(*result, strict=True):
        for ours, theirs in zip((*one.source, *one.output), (*other.source, *other.output), strict=True):
            for name, values in ours.values.items():
                assert values == pytest.approx(theirs.values[name], abs=1e-4)
    gradients = [through_time(ExplainedPrediction(one, QUESTION)) for one in (on_cpu, on_device)]
    assert gradients[0].weights == pytest.approx(gradients[1].weights, rel=1e-3)
    assert gradients[0].output[0]["h"] == pytest.approx(gradients[1].output[0]["h"], rel=1e-3)
    clamped_models = [clamp_units(one, [Clamp(0, 1, 0.5, first=1)]) for one in (on_cpu, on_device)]
    with torch.no_grad():
        logits, others = clamped_models[0](tiny_batch()), clamped_models[1](tiny_batch(device))
    torch.testing.assert_close(others.to("cpu", logits.dtype), logits, rtol=1e-3, atol=1e-3)

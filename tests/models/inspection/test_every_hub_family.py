"""Every family that the Hub may send can be inspected, whatever it calls its parts."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest
import torch
from torch import nn

from models.hub.listing.model_files import SEQ2SEQ
from models.inspection.attentions import kinds
from models.inspection.heads import measure_heads
from models.inspection.methods import attribute
from models.inspection.question import ExplainedPrediction, Question
from models.inspection.recorded_pass import CROSS, DECODER, ENCODER
from models.networks.hugging_face import HuggingFaceModel
from tests.fakes.hugging_face.networks import FAMILIES, batch_of, tiny_of
from tests.fakes.tiny_networks import assert_same

pytestmark = pytest.mark.slow

every_type = pytest.mark.parametrize("model_type", sorted(SEQ2SEQ))
QUESTION = Question((5, 6, 7, 2), (2, 12, 11), 10, replacement=3)


def random_network(model_type: str) -> Any:
    """All parameters are random, also those of norms, so that an omitted one changes the result."""
    torch.manual_seed(0)
    theirs = tiny_of(model_type).double()
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return theirs


def first_layer_alone(half: Any) -> None:
    name = "block" if hasattr(half, "block") else "layers"
    setattr(half, name, nn.ModuleList(getattr(half, name)[:1]))


@every_type
def test_the_lens_equals_the_output_of_a_network_with_fewer_layers(model_type: str) -> None:
    theirs, batch = random_network(model_type), batch_of(FAMILIES["bart"])
    model, short = HuggingFaceModel(copy.deepcopy(theirs)), copy.deepcopy(theirs)
    for half in (short.get_encoder(), short.get_decoder()):
        first_layer_alone(half)
    with torch.no_grad():
        fewer = HuggingFaceModel(short)
        encoded = fewer.encode(batch.src, batch.src_mask)
        layers = model.encoder_layers(model.embed_source(batch.src), batch.src_mask)
        assert_same(layers[1].memory[batch.src_mask], encoded.memory[batch.src_mask])
        features = model.decoder_layers(model.embed_target(batch.tgt_in), encoded)[1]
        assert_same(features[batch.tgt_mask], fewer.features(batch)[batch.tgt_mask])


@every_type
def test_every_method_and_every_offered_attention_works(model_type: str) -> None:
    model = HuggingFaceModel(random_network(model_type))
    value, result = attribute(model, QUESTION)
    assert all(math.isfinite(score) for item in result.values() for score in item.source)
    # BigBird's encoder, which can attend sparsely, has attention that returns no weights.
    expected_kinds = (CROSS, DECODER) if model_type == "bigbird_pegasus" else (CROSS, ENCODER, DECODER)
    assert kinds(model) == expected_kinds
    assert ("value_zeroing" in result) is (ENCODER in expected_kinds)
    for kind in expected_kinds:
        heads = measure_heads(ExplainedPrediction(model, QUESTION), kind)
        assert heads.value == pytest.approx(value)
        assert len(heads.layers) == 2

"""The recorded parts of a pass are those of the network and add up to its outputs."""

from __future__ import annotations

import pytest
import torch

from models.inspection.question import ExplainedPrediction, Question
from models.inspection.recorded_pass import (
    CROSS,
    DECODER,
    ENCODER,
    RecordedPass,
    features_under_factors,
    record_pass,
)
from models.networks.packed import can_pack, pack_linears
from models.networks.transformer.config import TransformerConfig
from models.networks.transformer.model import TransformerModel
from tests.fakes.tiny_networks import BOS, EOS, NETWORKS, each_network, tiny_model

QUESTION = Question((5, 6, 7, 8, EOS), (BOS, 12, 11), 10)
transformers = each_network(
    {name: config for name, config in NETWORKS.items() if isinstance(config, TransformerConfig)}
)


def parts_of(config: TransformerConfig) -> tuple[TransformerModel, ExplainedPrediction, RecordedPass]:
    model = tiny_model(config)
    assert isinstance(model, TransformerModel)
    prediction = ExplainedPrediction(model, QUESTION)
    with torch.no_grad():
        return model, prediction, record_pass(model, *prediction.vectors)


@transformers
def test_the_recorded_pass_equals_the_networks_own(config: TransformerConfig) -> None:
    model, prediction, recorded = parts_of(config)
    with torch.no_grad():
        encoded = model.encode(prediction.source, prediction.mask)
        features = model.decode_vectors(prediction.vectors[1], encoded)
        state = model.initial_state(encoded)
        for tokens in prediction.prefix.unbind(1):
            output = model.step(tokens, state)
            state = output.state  # type: ignore[assignment]
    torch.testing.assert_close(recorded.features, features[0])
    assert encoded.self_attention is not None
    assert output.cross_attention is not None
    assert output.self_attention is not None
    weights = {
        kind: torch.stack([block.attention.weights for block in recorded.of_kind(kind)])
        for kind in (ENCODER, CROSS, DECODER)
    }
    torch.testing.assert_close(weights[ENCODER], encoded.self_attention[0])
    torch.testing.assert_close(weights[CROSS][:, :, -1], output.cross_attention[0])
    torch.testing.assert_close(weights[DECODER][:, :, -1], output.self_attention[0])


@transformers
def test_the_parts_add_up(config: TransformerConfig) -> None:
    """Parts add up to the attention's output, and through the layer norm to the block's output."""
    _, _, recorded = parts_of(config)
    assert len(recorded.blocks) == config.num_layers + 2 * config.num_decoder_layers
    for block in recorded.blocks.values():
        parts = block.attention.parts()
        torch.testing.assert_close(parts.sum(dim=1) + block.bias, block.update)
        whole = torch.cat((parts, block.residual[:, None], block.bias.expand(len(parts), 1, -1)), dim=1)
        total = block.through_norm(whole).sum(dim=1)
        assert (block.norm is None) == config.pre_norm
        torch.testing.assert_close(total if block.norm is None else total + block.norm.bias, block.output)
        rows = slice(1, 3)
        torch.testing.assert_close(
            block.through_norm(block.attention.parts(rows), rows), block.through_norm(parts)[rows]
        )


@transformers
def test_norms_are_those_of_each_heads_part(config: TransformerConfig) -> None:
    _, _, recorded = parts_of(config)
    for block in recorded.blocks.values():
        attention = block.attention
        norms, transformed = attention.norms(), attention.transformed()
        assert norms is not None
        assert transformed is not None
        vectors = attention.weights.unsqueeze(-1) * transformed.unsqueeze(1)  # (H, T, S, D)
        torch.testing.assert_close(norms, vectors.norm(dim=-1))


@transformers
def test_factors_of_one_change_nothing(config: TransformerConfig) -> None:
    model, prediction, recorded = parts_of(config)
    ones = {key: torch.ones(4, 1, 1, 1) for key in recorded.blocks}
    with torch.no_grad():
        features = features_under_factors(model, *prediction.vectors, ones)
    torch.testing.assert_close(features, recorded.features.expand(4, -1, -1))


@pytest.mark.skipif(not can_pack(), reason="this processor has no kernels for packed weights")
@transformers
def test_packed_weights_can_be_taken_apart(config: TransformerConfig) -> None:
    model = tiny_model(config).float()
    assert isinstance(model, TransformerModel)
    pack_linears(model)
    with torch.inference_mode():
        prediction = ExplainedPrediction(model, QUESTION)
        recorded = record_pass(model, *prediction.vectors)
        features = model.decode_vectors(
            prediction.vectors[1], model.encode(prediction.source, prediction.mask)
        )
    torch.testing.assert_close(recorded.features, features[0], rtol=1e-5, atol=1e-5)
    for block in recorded.blocks.values():
        parts = block.attention.parts().sum(dim=1) + block.bias
        torch.testing.assert_close(parts, block.update, rtol=1e-5, atol=1e-5)

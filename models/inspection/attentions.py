"""The attentions of any network: their weights and vectors, and the explained value with scaled weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from models.inspection.question import ExplainedPrediction
from models.inspection.recorded_pass import (
    CROSS,
    DECODER,
    ENCODER,
    AttentionValues,
    Factors,
    features_under_factors,
    record_pass,
)
from models.networks.base import Seq2SeqModel
from models.networks.hugging_face import HuggingFaceModel
from models.networks.packed import PackedLinear
from models.networks.transformer.model import TransformerModel

OUTPUT_LAYERS = ("out_proj", "o_proj", "o")  # the names of W_O in the transformers library


def kinds(model: Seq2SeqModel) -> tuple[str, ...]:
    """The kinds of attention that a network has; empty for one without attention."""
    if isinstance(model, TransformerModel):
        return (CROSS, ENCODER, DECODER)
    if isinstance(model, HuggingFaceModel):
        return tuple(kind for kind in (CROSS, ENCODER, DECODER) if model.attentions[kind])
    return () if model.attention_shape is None else (CROSS,)


def attention_values(
    prediction: ExplainedPrediction, prefix: Tensor
) -> Mapping[str, Sequence[AttentionValues]]:
    """The attentions of each kind, first layer first, while the decoder reads a prefix (1, T) of any length.

    Those of a recurrent network have only weights: one layer with one head.
    """
    model = prediction.model
    with torch.no_grad():
        if isinstance(model, TransformerModel):
            recorded = record_pass(model, prediction.vectors[0], model.embed_target(prefix))
            return {kind: [block.attention for block in recorded.of_kind(kind)] for kind in kinds(model)}
        if isinstance(model, HuggingFaceModel):
            return _record_values(model, prediction, prefix)
        return {CROSS: [AttentionValues(_stepwise_weights(prediction, prefix))]} if kinds(model) else {}


def values_under_factors(prediction: ExplainedPrediction, factors: Factors) -> Tensor:
    """The explained value of R rows whose attention weights are scaled differently: (R,).

    Each factor has R rows. Recurrent networks accept only the factors 0 and 1. Raises ValueError.
    """
    rows = {len(factor) for factor in factors.values()}
    if len(rows) != 1 or not all(kind in kinds(prediction.model) for kind, _ in factors):
        raise ValueError(f"factors must have one number of rows and be of {kinds(prediction.model)}")
    step = prediction.rows_at_once
    with torch.no_grad():
        parts = [
            _values(prediction, {key: factor[first : first + step] for key, factor in factors.items()})
            for first in range(0, rows.pop(), step)
        ]
    return torch.cat(parts)


def _values(prediction: ExplainedPrediction, factors: Factors) -> Tensor:
    """`values_under_factors` of as many rows as fit into one pass."""
    model, (source, prefix) = prediction.model, prediction.vectors
    if isinstance(model, TransformerModel):
        features = features_under_factors(model, source, prefix, factors)
    elif isinstance(model, HuggingFaceModel):
        features = _hugging_face_features(model, prediction, factors)
    else:
        return _stepped_answer(prediction, factors)
    return prediction.value_of_features(features[:, -1])


def _record_values(
    model: HuggingFaceModel, prediction: ExplainedPrediction, prefix: Tensor
) -> Mapping[str, Sequence[AttentionValues]]:
    recorded: dict[nn.Module, tuple[Tensor, Tensor]] = {}
    encoded = model.encode_vectors(prediction.vectors[0], prediction.mask, record=recorded)
    model.decode_vectors(model.embed_target(prefix), encoded, record=recorded)
    return {
        kind: [
            AttentionValues(
                recorded[module][0][0], recorded[module][1][0], _outputs(module, recorded[module][1])
            )
            for module in modules
        ]
        for kind, modules in model.attentions.items()
        if modules
    }


def _outputs(attention: nn.Module, values: Tensor) -> Tensor | None:
    """W_O of each head (H, D/H, D), given their values (R, H, S, D/H); None if it is not a linear layer."""
    _, heads, _, width = values.shape
    for name in OUTPUT_LAYERS:
        layer = getattr(attention, name, None)
        if isinstance(layer, nn.Linear | PackedLinear) and layer.in_features == heads * width:
            return layer.weight.view(layer.out_features, heads, width).permute(1, 2, 0).to(values)
    return None


def _hugging_face_features(
    model: HuggingFaceModel, prediction: ExplainedPrediction, factors: Factors
) -> Tensor:
    """`features_under_factors` of a Hugging Face model; encodes once if no factor is in the encoder."""
    source, prefix = prediction.vectors
    rows = max(len(factor) for factor in factors.values())
    of_module = {model.attentions[kind][layer]: factor for (kind, layer), factor in factors.items()}
    read = rows if any(kind == ENCODER for kind, _ in factors) else 1
    encoded = model.encode_vectors(
        source.expand(read, -1, -1), prediction.mask.expand(read, -1), factors=of_module
    )
    if read == 1:
        every = torch.zeros(rows, dtype=torch.int64, device=source.device)
        encoded = encoded.rows(every, prediction.mask.expand(rows, -1))
    return model.decode_vectors(prefix.expand(rows, -1, -1), encoded, factors=of_module)


def _stepwise_weights(prediction: ExplainedPrediction, prefix: Tensor) -> Tensor:
    """Weights of the only head, step by step: (1, T, S)."""
    state = prediction.model.initial_state(prediction.model.encode(prediction.source, prediction.mask))
    weights = []
    for tokens in prefix.unbind(1):
        output = prediction.model.step(tokens, state)
        assert output.cross_attention is not None
        weights.append(output.cross_attention[0, 0])
        state = output.state
    return torch.stack(weights, dim=1)


def _stepped_answer(prediction: ExplainedPrediction, factors: Factors) -> Tensor:
    """The explained value of R rows whose weights are 0 where their factor (R, 1, 1, 1 or S) is 0."""
    (factor,) = factors.values()
    if not bool(((factor == 0) | (factor == 1)).all()):
        raise ValueError("the factors of recurrent cells must be 0 or 1")
    rows = torch.zeros(len(factor), dtype=torch.int64, device=factor.device)
    state = prediction.model.initial_state(
        prediction.model.encode(prediction.source, prediction.mask)
    ).reorder(rows)
    override = torch.where(factor == 0, 0.0, torch.nan)
    for tokens in prediction.prefix.expand(len(factor), -1).unbind(1):
        output = prediction.model.step(tokens, state, override)
        state = output.state
    return prediction.value_of_features(output.hidden)

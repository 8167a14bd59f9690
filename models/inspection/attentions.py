"""The attentions of any network: their weights and vectors, and F with scaled weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor, nn

from models.inspection.question import Inquiry
from models.inspection.recorded_pass import (
    CROSS,
    DECODER,
    ENCODER,
    Factors,
    Mixing,
    factored_features,
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


def mixings(inquiry: Inquiry, prefix: Tensor) -> Mapping[str, Sequence[Mixing]]:
    """Mixings of each kind, first layer first, while the decoder reads a prefix (1, T) of any length.

    Recurrent networks have weights alone: one layer with one head.
    """
    model = inquiry.model
    with torch.no_grad():
        if isinstance(model, TransformerModel):
            recorded = record_pass(model, inquiry.vectors[0], model.embed_target(prefix))
            return {kind: [block.mixing for block in recorded.of_kind(kind)] for kind in kinds(model)}
        if isinstance(model, HuggingFaceModel):
            return _recorded(model, inquiry, prefix)
        return {CROSS: [Mixing(_stepped(inquiry, prefix))]} if kinds(model) else {}


def factored(inquiry: Inquiry, factors: Factors) -> Tensor:
    """F of R rows with differently scaled attention weights: (R,).

    Each factor has R rows. Recurrent networks accept only the factors 0 and 1. Raises ValueError.
    """
    answer = _answerer(inquiry)
    rows = {len(factor) for factor in factors.values()}
    if len(rows) != 1 or not all(kind in kinds(inquiry.model) for kind, _ in factors):
        raise ValueError(f"factors must have one number of rows and be of {kinds(inquiry.model)}")
    step = inquiry.rows_at_once
    with torch.no_grad():
        parts = [
            answer({key: factor[first : first + step] for key, factor in factors.items()})
            for first in range(0, rows.pop(), step)
        ]
    return torch.cat(parts)


def _answerer(inquiry: Inquiry) -> Callable[[Factors], Tensor]:
    model, (source, prefix) = inquiry.model, inquiry.vectors
    if isinstance(model, TransformerModel):
        return lambda factors: inquiry.of_features(factored_features(model, source, prefix, factors)[:, -1])
    if isinstance(model, HuggingFaceModel):
        return lambda factors: inquiry.of_features(_hugging_face_features(model, inquiry, factors)[:, -1])
    return lambda factors: _stepped_answer(inquiry, factors)


def _recorded(model: HuggingFaceModel, inquiry: Inquiry, prefix: Tensor) -> Mapping[str, Sequence[Mixing]]:
    recorded: dict[nn.Module, tuple[Tensor, Tensor]] = {}
    encoded = model.encode_vectors(inquiry.vectors[0], inquiry.mask, record=recorded)
    model.decode_vectors(model.embed_target(prefix), encoded, record=recorded)
    return {
        kind: [
            Mixing(recorded[module][0][0], recorded[module][1][0], _outputs(module, recorded[module][1]))
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


def _hugging_face_features(model: HuggingFaceModel, inquiry: Inquiry, factors: Factors) -> Tensor:
    """`factored_features` of a Hugging Face model; one encoder pass serves all rows if no factor is in it."""
    source, prefix = inquiry.vectors
    rows = max(len(factor) for factor in factors.values())
    of_module = {model.attentions[kind][layer]: factor for (kind, layer), factor in factors.items()}
    read = rows if any(kind == ENCODER for kind, _ in factors) else 1
    encoded = model.encode_vectors(
        source.expand(read, -1, -1), inquiry.mask.expand(read, -1), factors=of_module
    )
    if read == 1:
        every = torch.zeros(rows, dtype=torch.int64, device=source.device)
        encoded = encoded.rows(every, inquiry.mask.expand(rows, -1))
    return model.decode_vectors(prefix.expand(rows, -1, -1), encoded, factors=of_module)


def _stepped(inquiry: Inquiry, prefix: Tensor) -> Tensor:
    """Weights of the only head, step by step: (1, T, S)."""
    state = inquiry.model.initial_state(inquiry.model.encode(inquiry.source, inquiry.mask))
    weights = []
    for tokens in prefix.unbind(1):
        output = inquiry.model.step(tokens, state)
        assert output.cross_attention is not None
        weights.append(output.cross_attention[0, 0])
        state = output.state
    return torch.stack(weights, dim=1)


def _stepped_answer(inquiry: Inquiry, factors: Factors) -> Tensor:
    """F of R rows whose weights are 0 where their factor (R, 1, 1, 1 or S) is 0."""
    (factor,) = factors.values()
    if not bool(((factor == 0) | (factor == 1)).all()):
        raise ValueError("the factors of recurrent cells must be 0 or 1")
    rows = torch.zeros(len(factor), dtype=torch.int64, device=factor.device)
    state = inquiry.model.initial_state(inquiry.model.encode(inquiry.source, inquiry.mask)).reorder(rows)
    override = torch.where(factor == 0, 0.0, torch.nan)
    for tokens in inquiry.prefix.expand(len(factor), -1).unbind(1):
        output = inquiry.model.step(tokens, state, override)
        state = output.state
    return inquiry.of_features(output.hidden)

"""The attentions of any network that has some: what each mixes, and F when some of it is taken away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor, nn

from models.inspection.question import Inquiry
from models.inspection.taken_apart import (
    CROSS,
    DECODER,
    ENCODER,
    Factors,
    Mixing,
    factored_features,
    take_apart,
)
from models.networks.base import Seq2SeqModel
from models.networks.hugging_face import ForeignModel
from models.networks.packed import PackedLinear
from models.networks.transformer.model import TransformerModel

OUTPUTS = ("out_proj", "o_proj", "o")  # names of W_O in the transformers library


def kinds(model: Seq2SeqModel) -> tuple[str, ...]:
    """Which attentions can be looked at; none of a network without."""
    if isinstance(model, TransformerModel):
        return (CROSS, ENCODER, DECODER)
    if isinstance(model, ForeignModel):
        return tuple(kind for kind in (CROSS, ENCODER, DECODER) if model.attentions[kind])
    return () if model.attention_shape is None else (CROSS,)


def mixings(inquiry: Inquiry, prefix: Tensor) -> Mapping[str, Sequence[Mixing]]:
    """By kind, first layer first, while the decoder reads a prefix (1, T) of any length.

    Of recurrent cells the weights alone: one layer with one head.
    """
    model = inquiry.model
    with torch.no_grad():
        if isinstance(model, TransformerModel):
            apart = take_apart(model, inquiry.vectors[0], model.embed_target(prefix))
            return {kind: [block.mixing for block in apart.of_kind(kind)] for kind in kinds(model)}
        if isinstance(model, ForeignModel):
            return _seen(model, inquiry, prefix)
        return {CROSS: [Mixing(_stepped(inquiry, prefix))]} if kinds(model) else {}


def factored(inquiry: Inquiry, factors: Factors) -> Tensor:
    """F of R rows, in each of which other weights of attention are multiplied: (R,).

    Each factor has R rows. Recurrent cells take factors of 0 and 1 alone. Raises ValueError.
    """
    answer = _answerer(inquiry)
    rows = {len(factor) for factor in factors.values()}
    if len(rows) != 1 or not all(kind in kinds(inquiry.model) for kind, _ in factors):
        raise ValueError(f"factors must have one number of rows and be of {kinds(inquiry.model)}")
    step = inquiry.rows_at_once
    with torch.no_grad():
        parts = [
            answer({place: factor[first : first + step] for place, factor in factors.items()})
            for first in range(0, rows.pop(), step)
        ]
    return torch.cat(parts)


def _answerer(inquiry: Inquiry) -> Callable[[Factors], Tensor]:
    model, (source, prefix) = inquiry.model, inquiry.vectors
    if isinstance(model, TransformerModel):
        return lambda factors: inquiry.of_features(factored_features(model, source, prefix, factors)[:, -1])
    if isinstance(model, ForeignModel):
        return lambda factors: inquiry.of_features(_foreign_features(model, inquiry, factors)[:, -1])
    return lambda factors: _stepped_answer(inquiry, factors)


def _seen(model: ForeignModel, inquiry: Inquiry, prefix: Tensor) -> Mapping[str, Sequence[Mixing]]:
    seen: dict[nn.Module, tuple[Tensor, Tensor]] = {}
    encoded = model.encode_vectors(inquiry.vectors[0], inquiry.mask, record=seen)
    model.decode_vectors(model.embed_target(prefix), encoded, record=seen)
    return {
        kind: [
            Mixing(seen[module][0][0], seen[module][1][0], _outputs(module, seen[module][1]))
            for module in modules
        ]
        for kind, modules in model.attentions.items()
        if modules
    }


def _outputs(attention: nn.Module, values: Tensor) -> Tensor | None:
    """W_O of each head, (H, D/H, D), of heads whose values are (R, H, S, D/H); None if it is not plain."""
    _, heads, _, width = values.shape
    for name in OUTPUTS:
        layer = getattr(attention, name, None)
        if isinstance(layer, nn.Linear | PackedLinear) and layer.in_features == heads * width:
            return layer.weight.view(layer.out_features, heads, width).permute(1, 2, 0).to(values)
    return None


def _foreign_features(model: ForeignModel, inquiry: Inquiry, factors: Factors) -> Tensor:
    """As `factored_features`; the source is encoded once if nothing of the encoder is multiplied."""
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
    """The only head's weights, (1, T, S)."""
    state = inquiry.model.initial_state(inquiry.model.encode(inquiry.source, inquiry.mask))
    weights = []
    for tokens in prefix.unbind(1):
        output = inquiry.model.step(tokens, state)
        assert output.cross_attention is not None
        weights.append(output.cross_attention[0, 0])
        state = output.state
    return torch.stack(weights, dim=1)


def _stepped_answer(inquiry: Inquiry, factors: Factors) -> Tensor:
    """F where a row's weights are 0 wherever its factor (R, 1, 1, 1 or S) is."""
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

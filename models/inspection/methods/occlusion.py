"""The loss of the explained value without a token: the token is replaced, or attention to it is masked."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from models.inspection.methods import Attribution, Method
from models.inspection.question import ExplainedPrediction


def replacement_losses(prediction: ExplainedPrediction) -> Attribution:
    """The loss of the explained value if a token is replaced, for all but the start token.

    Decoding the text without this word gives the same number.
    """
    size, length = len(prediction.places), prediction.prefix.shape[1] - 1
    # Row j removes place j of the source, row P + i removes token i + 1 of the prefix.
    removed = torch.eye(size + length, dtype=torch.bool, device=prediction.places.device)
    losses = _losses(prediction, values_without(prediction, removed[:, :size], removed[:, size:]))
    return Attribution(losses[:size], (0.0, *losses[size:]))


def values_without(
    prediction: ExplainedPrediction, places: Tensor, prefix_tokens: Tensor | None = None
) -> Tensor:
    """The explained value of N copies of the text, each with some tokens replaced: (N,).

    places (N, P) bool: replaced places of the source; prefix_tokens (N, T - 1) bool: replaced tokens of the
    prefix without its start token, None = none.
    """
    source, prefix = prediction.vectors
    removed_source = (places.to(source) @ prediction.places.to(source) > 0).unsqueeze(2)  # (N, S, 1)
    if prefix_tokens is None:
        prefix_tokens = places.new_zeros(len(places), prefix.shape[1] - 1)
    removed_prefix = F.pad(prefix_tokens, (1, 0)).unsqueeze(2)  # (N, T, 1)
    with torch.no_grad():
        blank = prediction.model.blank(source, prediction.question.replacement)
        replacement = prediction.model.embed_target(
            torch.tensor([[prediction.question.replacement]], device=removed_source.device)
        )
        chunks = (rows.split(prediction.rows_at_once) for rows in (removed_source, removed_prefix))
        values = []
        for source_rows, prefix_rows in zip(*chunks, strict=True):
            vectors = torch.where(source_rows, blank, source), torch.where(prefix_rows, replacement, prefix)
            values.append(prediction.value_of_vectors(*vectors))
    return torch.cat(values)


def masking_losses(prediction: ExplainedPrediction) -> Attribution | None:
    """The loss of the explained value if the decoder cannot attend to a token, which the encoder still reads.

    None for a network without attention, and for a source of one token.
    """
    if prediction.model.attention_shape is None or len(prediction.places) == 1:
        return None
    with torch.no_grad():
        encoded = prediction.model.encode(prediction.source, prediction.mask)
        size = encoded.mask.shape[1]
        hidden = encoded.mask.repeat(size, 1).fill_diagonal_(False)
        values = []
        for masks in hidden.split(prediction.rows_at_once):
            sources = encoded.rows(torch.zeros_like(masks[:, 0], dtype=torch.int64), masks)
            prefixes = prediction.vectors[1].expand(len(masks), -1, -1)
            values.append(prediction.value_of_encoded(sources, prefixes))
    return Attribution(_losses(prediction, torch.cat(values)))


def _losses(prediction: ExplainedPrediction, values: Tensor) -> tuple[float, ...]:
    return tuple((prediction.value - values).tolist())


REPLACED = Method(
    "replaced",
    "word replaced",
    position=10,
    paper="Zeiler and Fergus 2014; Li et al. 2016",
    attribute=replacement_losses,
)
MASKED = Method(
    "masked", "attention masked", position=20, paper="Li et al. 2016", signed=True, attribute=masking_losses
)

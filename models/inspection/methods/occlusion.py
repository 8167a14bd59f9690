"""The loss of F without a token: the token is replaced, or attention to it is masked."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from models.inspection.methods.method import Attribution, Method
from models.inspection.question import Inquiry


def replaced(inquiry: Inquiry) -> Attribution:
    """F(x) - F(x with the token replaced), for each token of source and prefix but the start token.

    Decoding the text without this word gives the same number.
    """
    size, length = len(inquiry.places), inquiry.prefix.shape[1] - 1
    # Row j removes place j of the source, row P + i removes token i + 1 of the prefix.
    removed = torch.eye(size + length, dtype=torch.bool, device=inquiry.places.device)
    losses = _losses(inquiry, without(inquiry, removed[:, :size], removed[:, size:]))
    return Attribution(losses[:size], (0.0, *losses[size:]))


def without(inquiry: Inquiry, places: Tensor, prefix_tokens: Tensor | None = None) -> Tensor:
    """F of N copies of the text, each with some tokens replaced: (N,).

    places (N, P) bool: replaced places of the source; prefix_tokens (N, T - 1) bool: replaced tokens of the
    prefix without its start token, None = none.
    """
    source, prefix = inquiry.vectors
    removed_source = (places.to(source) @ inquiry.places.to(source) > 0).unsqueeze(2)  # (N, S, 1)
    if prefix_tokens is None:
        prefix_tokens = places.new_zeros(len(places), prefix.shape[1] - 1)
    removed_prefix = F.pad(prefix_tokens, (1, 0)).unsqueeze(2)  # (N, T, 1)
    with torch.no_grad():
        blank = inquiry.model.blank(source, inquiry.question.replacement)
        replacement = inquiry.model.embed_target(
            torch.tensor([[inquiry.question.replacement]], device=removed_source.device)
        )
        values = [
            inquiry.of(torch.where(source_rows, blank, source), torch.where(prefix_rows, replacement, prefix))
            for source_rows, prefix_rows in zip(
                removed_source.split(inquiry.rows_at_once),
                removed_prefix.split(inquiry.rows_at_once),
                strict=True,
            )
        ]
    return torch.cat(values)


def masked(inquiry: Inquiry) -> Attribution | None:
    """F(x) - F(x without the decoder's attention to the token), which the encoder still reads.

    None for a network without attention, and for a source of one token.
    """
    if inquiry.model.attention_shape is None or len(inquiry.places) == 1:
        return None
    with torch.no_grad():
        encoded = inquiry.model.encode(inquiry.source, inquiry.mask)
        size = encoded.mask.shape[1]
        hidden = encoded.mask.repeat(size, 1).fill_diagonal_(False)
        values = []
        for masks in hidden.split(inquiry.rows_at_once):
            sources = encoded.rows(torch.zeros_like(masks[:, 0], dtype=torch.int64), masks)
            values.append(inquiry.after(sources, inquiry.vectors[1].expand(len(masks), -1, -1)))
    return Attribution(_losses(inquiry, torch.cat(values)))


def _losses(inquiry: Inquiry, values: Tensor) -> tuple[float, ...]:
    return tuple((inquiry.value - values).tolist())


REPLACED = Method(
    "replaced",
    "word replaced",
    position=10,
    paper="Zeiler and Fergus 2014; Li et al. 2016",
    signed=True,
    attribute=replaced,
)
MASKED = Method(
    "masked",
    "attention masked",
    position=20,
    paper="Li et al. 2016",
    signed=True,
    attribute=masked,
)

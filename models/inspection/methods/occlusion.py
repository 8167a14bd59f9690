"""What F loses without a token, in two senses: another one stands there, or nobody may look at it."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from models.inspection.methods.method import Attribution, Method
from models.inspection.question import Inquiry


def replaced(inquiry: Inquiry) -> Attribution:
    """F(x) - F(x with the token replaced), for each token of source and prefix but the start token.

    What the network would say of a text without this word: a fresh decode of that text says the same.
    """
    size, written = len(inquiry.places), inquiry.prefix.shape[1] - 1
    # Row j lacks place j of the source, row P + i token i + 1 of the prefix.
    gone = torch.eye(size + written, dtype=torch.bool, device=inquiry.places.device)
    losses = _losses(inquiry, without(inquiry, gone[:, :size], gone[:, size:]))
    return Attribution(losses[:size], (0.0, *losses[size:]))


def without(inquiry: Inquiry, places: Tensor, written: Tensor | None = None) -> Tensor:
    """F of N texts, in each of which some tokens are replaced: (N,).

    places (N, P) bool: which of the source's are; written (N, T - 1) bool: which of the prefix but its start
    token, none of them if not given.
    """
    source, prefix = inquiry.vectors
    gone = (places.to(source) @ inquiry.places.to(source) > 0).unsqueeze(2)  # (N, S, 1)
    if written is None:
        written = places.new_zeros(len(places), prefix.shape[1] - 1)
    unwritten = F.pad(written, (1, 0)).unsqueeze(2)  # (N, T, 1)
    with torch.no_grad():
        blank = inquiry.model.blank(source, inquiry.question.replacement)
        unsaid = inquiry.model.embed_target(
            torch.tensor([[inquiry.question.replacement]], device=gone.device)
        )
        values = [
            inquiry.of(torch.where(some, blank, source), torch.where(others, unsaid, prefix))
            for some, others in zip(
                gone.split(inquiry.rows_at_once), unwritten.split(inquiry.rows_at_once), strict=True
            )
        ]
    return torch.cat(values)


def masked(inquiry: Inquiry) -> Attribution | None:
    """F(x) - F(x without attention to the token): the encoder has read it, the decoder may not look.

    None for a network without attention, and for a source of one token, which leaves nothing to look at.
    """
    if inquiry.model.attention_shape is None or len(inquiry.places) == 1:
        return None
    with torch.no_grad():
        encoded = inquiry.model.encode(inquiry.source, inquiry.mask)
        size = encoded.mask.shape[1]
        hidden = encoded.mask.repeat(size, 1).fill_diagonal_(False)
        values = []
        for some in hidden.split(inquiry.rows_at_once):
            sources = encoded.rows(torch.zeros_like(some[:, 0], dtype=torch.int64), some)
            values.append(inquiry.after(sources, inquiry.vectors[1].expand(len(some), -1, -1)))
    return Attribution(_losses(inquiry, torch.cat(values)))


def _losses(inquiry: Inquiry, values: Tensor) -> tuple[float, ...]:
    return tuple((inquiry.value - values).tolist())


REPLACED = Method(
    "replaced",
    "word taken out",
    position=10,
    paper="Zeiler and Fergus 2014; Li et al. 2016",
    signed=True,
    attribute=replaced,
)
MASKED = Method(
    "masked",
    "attention to it forbidden",
    position=20,
    paper="Li et al. 2016",
    signed=True,
    attribute=masked,
)

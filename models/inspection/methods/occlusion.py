"""What F loses without a token, in two senses: another one stands there, or nobody may look at it."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from models.inspection.methods.method import Attribution, Method
from models.inspection.question import Asked

AT_ONCE = 64  # rows in one pass


def replaced(asked: Asked) -> Attribution:
    """F(x) - F(x with the token replaced), for each token of source and prefix but the start token.

    What the network would say of a text without this word: a fresh decode of that text says the same.
    """
    (source, prefix), (size, _) = asked.vectors, asked.places.shape
    written = prefix.shape[1] - 1
    # Row j lacks place j of the source, row P + i token i + 1 of the prefix.
    none = torch.zeros_like(asked.places[:1])
    gone = torch.cat((asked.places, none.expand(written, -1))).unsqueeze(2)
    unwritten = torch.eye(written, dtype=torch.bool, device=gone.device)
    unwritten = F.pad(unwritten, (1, 0, size, 0)).unsqueeze(2)
    with torch.no_grad():
        blank = asked.model.blank(source, asked.question.replacement)
        unsaid = asked.model.embed_target(torch.tensor([[asked.question.replacement]], device=gone.device))
        values = [
            asked.of(torch.where(some, blank, source), torch.where(others, unsaid, prefix))
            for some, others in zip(gone.split(AT_ONCE), unwritten.split(AT_ONCE), strict=True)
        ]
    losses = _losses(asked, torch.cat(values))
    return Attribution(losses[:size], (0.0, *losses[size:]))


def masked(asked: Asked) -> Attribution | None:
    """F(x) - F(x without attention to the token): the encoder has read it, the decoder may not look.

    None for a network without attention, and for a source of one token, which leaves nothing to look at.
    """
    if asked.model.attention_shape is None or len(asked.places) == 1:
        return None
    with torch.no_grad():
        encoded = asked.model.encode(asked.source, asked.mask)
        size = encoded.mask.shape[1]
        hidden = encoded.mask.repeat(size, 1).fill_diagonal_(False)
        rows = torch.zeros(size, dtype=torch.int64, device=hidden.device)
        sources = encoded.rows(rows, hidden)
        values = asked.after(sources, asked.vectors[1].expand(size, -1, -1))
    return Attribution(_losses(asked, values))


def _losses(asked: Asked, values: Tensor) -> tuple[float, ...]:
    return tuple((asked.value - values).tolist())


REPLACED = Method(
    "replaced",
    "word taken out",
    place=10,
    paper="Zeiler and Fergus 2014; Li et al. 2016",
    signed=True,
    attribute=replaced,
)
MASKED = Method(
    "masked",
    "attention to it forbidden",
    place=20,
    paper="Li et al. 2016",
    signed=True,
    attribute=masked,
)

"""What F loses if a token is looked at as before, and gives nothing."""

from __future__ import annotations

import torch

from models.inspection.attentions import factored, kinds, mixings
from models.inspection.methods.method import Attribution, Method
from models.inspection.question import Inquiry
from models.inspection.taken_apart import CROSS, DECODER, ENCODER


def value_zeroing(inquiry: Inquiry) -> Attribution | None:
    """F(x) - F(x with a token's value vectors at 0 in all attentions that read it), each token in turn.

    All weights of attention stay as they were, unlike when attention is forbidden, and so does what goes
    past the attentions. Mohebbi et al. measure what this changes in a layer's vectors; here it is F. None
    for a network that is no Transformer.
    """
    if ENCODER not in kinds(inquiry.model):
        return None
    result = mixings(inquiry, inquiry.prefix)
    size, length = result[CROSS][0].weights.shape[2], inquiry.prefix.shape[1]
    # The first row is the whole network, then each lacks one token, those of the source first.
    given = 1 - torch.eye(size + length, device=inquiry.source.device)
    given = torch.cat((torch.ones_like(given[:1]), given))[:, None, None]
    of_source, of_prefix = given.split((size, length), dim=-1)
    of_kind = {ENCODER: of_source, CROSS: of_source, DECODER: of_prefix}
    values = factored(
        inquiry,
        {(kind, layer): of_kind[kind] for kind, layers in result.items() for layer in range(len(layers))},
    )
    losses = (values[0] - values[1:]).tolist()
    return Attribution(tuple(losses[:size]), tuple(losses[size:]))


VALUE_ZEROING = Method(
    "value_zeroing",
    "its values set to zero",
    position=25,
    paper="Mohebbi et al. 2023",
    signed=True,
    attribute=value_zeroing,
)

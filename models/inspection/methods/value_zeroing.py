"""The loss of F if a token's value vectors are zero while the attention weights stay."""

from __future__ import annotations

import torch

from models.inspection.attentions import factored, kinds, mixings
from models.inspection.methods.method import Attribution, Method
from models.inspection.question import Inquiry
from models.inspection.recorded_pass import CROSS, DECODER, ENCODER


def value_zeroing(inquiry: Inquiry) -> Attribution | None:
    """F(x) - F(x with the token's value vectors at 0 in all attentions that read it), for each token.

    Attention weights and residual connections stay as they are. Mohebbi et al. measure the change of a
    layer's vectors; here the change of F is measured. None for a network that is not a Transformer.
    """
    if ENCODER not in kinds(inquiry.model):
        return None
    by_kind = mixings(inquiry, inquiry.prefix)
    size, length = by_kind[CROSS][0].weights.shape[2], inquiry.prefix.shape[1]
    # Row 0 is the unchanged network. The other rows zero one token each, first those of the source.
    gates = 1 - torch.eye(size + length, device=inquiry.source.device)
    gates = torch.cat((torch.ones_like(gates[:1]), gates))[:, None, None]
    of_source, of_prefix = gates.split((size, length), dim=-1)
    of_kind = {ENCODER: of_source, CROSS: of_source, DECODER: of_prefix}
    values = factored(
        inquiry,
        {(kind, layer): of_kind[kind] for kind, layers in by_kind.items() for layer in range(len(layers))},
    )
    losses = (values[0] - values[1:]).tolist()
    return Attribution(tuple(losses[:size]), tuple(losses[size:]))


VALUE_ZEROING = Method(
    "value_zeroing",
    "values set to zero",
    position=25,
    paper="Mohebbi et al. 2023",
    signed=True,
    attribute=value_zeroing,
)

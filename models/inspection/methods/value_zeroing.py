"""The loss of the explained value if a token's value vectors are zero while the attention weights stay."""

from __future__ import annotations

import torch

from models.inspection.attentions import attention_values, kinds, values_under_factors
from models.inspection.methods.method import Attribution, Method
from models.inspection.question import ExplainedPrediction
from models.inspection.recorded_pass import CROSS, DECODER, ENCODER


def value_zeroing(prediction: ExplainedPrediction) -> Attribution | None:
    """The loss of the explained value if a token's value vectors are 0 in all attentions that read it.

    Attention weights and residual connections stay as they are. Mohebbi et al. measure the change of a
    layer's vectors; this is the change of the explained value. None for a network that is not a Transformer.
    """
    if ENCODER not in kinds(prediction.model):
        return None
    by_kind = attention_values(prediction, prediction.prefix)
    size, length = by_kind[CROSS][0].weights.shape[2], prediction.prefix.shape[1]
    # Row 0 is the unchanged network. The other rows zero one token each, first those of the source.
    gates = 1 - torch.eye(size + length, device=prediction.source.device)
    gates = torch.cat((torch.ones_like(gates[:1]), gates))[:, None, None]
    of_source, of_prefix = gates.split((size, length), dim=-1)
    of_kind = {ENCODER: of_source, CROSS: of_source, DECODER: of_prefix}
    values = values_under_factors(
        prediction,
        {(kind, layer): of_kind[kind] for kind, layers in by_kind.items() for layer in range(len(layers))},
    )
    losses = (values[0] - values[1:]).tolist()
    return Attribution(tuple(losses[:size]), tuple(losses[size:]))


VALUE_ZEROING = Method(
    "value_zeroing", "values set to zero", position=25, paper="Mohebbi et al. 2023", attribute=value_zeroing
)

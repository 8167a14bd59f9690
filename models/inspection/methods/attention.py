"""Attention weights, which other methods are compared with, and the loss if their values are set to zero.

The weights do not explain the prediction.
"""

from __future__ import annotations

import torch
from torch import Tensor

from models.inspection.attentions import attention_values, kinds, values_under_factors
from models.inspection.methods import Attribution, Method
from models.inspection.question import ExplainedPrediction
from models.inspection.recorded_pass import CROSS, DECODER, ENCODER


def attention(prediction: ExplainedPrediction) -> Attribution | None:
    """Cross-attention and self-attention to the prefix at the explained step: means over layers and heads.

    None for a network without attention.
    """
    with torch.no_grad():
        model = prediction.model
        state = model.initial_state(model.encode(prediction.source, prediction.mask))
        for tokens in prediction.prefix.unbind(1):
            output = model.step(tokens, state)
            state = output.state
    if output.cross_attention is None:
        return None
    prefix = None if output.self_attention is None else _mean(output.self_attention)
    return Attribution(_mean(output.cross_attention), prefix)


def _mean(weights: Tensor) -> tuple[float, ...]:
    """Mean over layers and heads: (1, L, H, N) -> N."""
    return tuple(weights[0].mean(dim=(0, 1)).tolist())


ATTENTION = Method(
    "attention", "attention", position=30, paper="Bahdanau et al. 2015", signed=False, attribute=attention
)


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

"""Attention weights. They do not explain the prediction, but other methods are compared with them."""

from __future__ import annotations

import torch
from torch import Tensor

from models.inspection.methods.method import Attribution, Method
from models.inspection.question import ExplainedPrediction


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

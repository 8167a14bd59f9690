"""Scores, softmax and heads against numpy and against torch's own multi-head attention."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pytest
import torch
from torch import nn

from models.networks import attention
from models.networks.attention import (
    AlignmentScore,
    CrossAttention,
    SelfAttention,
    causal_mask,
    masked_softmax,
)
from models.networks.recurrent.config import SCORE_TITLES
from tests.fakes.tiny_networks import assert_same

D, A = 6, 4  # widths of state and of additive attention


def array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().numpy()


def additive(score: AlignmentScore, query: np.ndarray, key: np.ndarray) -> float:
    inner = array(score.query.weight) @ query + array(score.query.bias) + array(score.key.weight) @ key
    return float(array(score.energy.weight)[0] @ np.tanh(inner))


BY_HAND: dict[str, Callable[[AlignmentScore, np.ndarray, np.ndarray], float]] = {
    "additive": additive,
    "dot": lambda score, query, key: float(query @ key),
    "scaled_dot": lambda score, query, key: float(query @ key) / math.sqrt(D),
    "general": lambda score, query, key: float(query @ array(score.key.weight) @ key),
}


@pytest.mark.parametrize("kind", SCORE_TITLES)
def test_scores_are_those_of_the_formula(kind: str) -> None:
    torch.manual_seed(0)
    score = AlignmentScore(kind, D, A).double()
    queries, memory = torch.randn(2, 3, D).double(), torch.randn(2, 5, D).double()
    expected = np.empty((2, 3, 5))
    for row, step, position in np.ndindex(expected.shape):
        query, key = array(queries[row, step]), array(memory[row, position])
        expected[row, step, position] = BY_HAND[kind](score, query, key)
    np.testing.assert_allclose(array(score(queries, score.keys(memory))), expected, rtol=1e-9)


def test_masked_softmax_matches_a_computation_by_hand() -> None:
    scores = torch.tensor([[0.0, math.log(3.0), 100.0]])
    weights = masked_softmax(scores, torch.tensor([[True, True, False]]))
    torch.testing.assert_close(weights, torch.tensor([[0.25, 0.75, 0.0]]))


def test_masked_softmax_gives_masked_positions_exactly_zero() -> None:
    weights = masked_softmax(torch.tensor([[-1e30, -1e30, 1e30]]), torch.tensor([[True, True, False]]))
    assert weights.tolist() == [[0.5, 0.5, 0.0]]


def test_masked_softmax_broadcasts_the_mask() -> None:
    weights = masked_softmax(torch.zeros(2, 3, 4), torch.tensor([True, False, True, True]))
    torch.testing.assert_close(weights, torch.tensor([1 / 3, 0, 1 / 3, 1 / 3]).expand(2, 3, 4))


def test_the_causal_mask_allows_earlier_positions() -> None:
    mask = causal_mask(3, torch.device("cpu"))
    assert mask.tolist() == [[True, False, False], [True, True, False], [True, True, True]]


def torch_attention(ours: SelfAttention | CrossAttention) -> nn.MultiheadAttention:
    """torch's module with our weights."""
    theirs = nn.MultiheadAttention(12, ours.num_heads, batch_first=True, dtype=torch.float64)
    ins = [ours.query_key_value] if isinstance(ours, SelfAttention) else [ours.query, ours.key_value]
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([layer.weight for layer in ins]))
        theirs.in_proj_bias.copy_(torch.cat([layer.bias for layer in ins]))
        theirs.out_proj.weight.copy_(ours.output.weight)
        theirs.out_proj.bias.copy_(ours.output.bias)
    return theirs


Heads = TypeVar("Heads", SelfAttention, CrossAttention)


def heads(kind: type[Heads]) -> Heads:
    torch.manual_seed(0)
    module = kind(12, num_heads=3, dropout=0.0).double()
    for parameter in module.parameters():
        nn.init.normal_(parameter)
    return module


def test_cross_attention_equals_that_of_torch() -> None:
    module = heads(CrossAttention)
    x, memory = torch.randn(2, 4, 12).double(), torch.randn(2, 5, 12).double()
    mask = torch.tensor([[True] * 5, [True, True, False, False, False]])
    output, weights = module.attend(module.project(x), module.project_memory(memory), mask[:, None, None])
    theirs = torch_attention(module)(x, memory, memory, key_padding_mask=~mask, average_attn_weights=False)
    assert_same(output, theirs[0])
    assert_same(weights, theirs[1])


def test_causal_self_attention_equals_that_of_torch() -> None:
    module = heads(SelfAttention)
    x, causal = torch.randn(2, 4, 12).double(), causal_mask(4, torch.device("cpu"))
    output, weights = module.attend(*module.project(x), causal)
    theirs = torch_attention(module)(x, x, x, attn_mask=~causal, average_attn_weights=False)
    assert_same(output, theirs[0])
    assert_same(weights, theirs[1])


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_the_training_path_of_attention_gives_the_same_output(
    fused: bool, masked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "gains_from_fused_attention", lambda device: fused)
    module, x = heads(SelfAttention), torch.randn(2, 4, 12).double()
    mask = causal_mask(4, x.device) if masked else None
    projected = module.project(x)
    assert_same(module.attend_in_training(*projected, mask), module.attend(*projected, mask)[0])


def test_keys_and_values_can_be_projected_token_by_token() -> None:
    """The cache of the decoder relies on this."""
    module, x = heads(SelfAttention), torch.randn(2, 4, 12).double()
    pieces = [module.project(x[:, position : position + 1])[1] for position in range(4)]
    for part, whole in enumerate(module.project(x)[1]):
        assert_same(torch.cat([piece[part] for piece in pieces], dim=2), whole)

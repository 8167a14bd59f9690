"""The cross-entropy by hand, and its chunked twin against it."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from models.networks.config import NetworkConfig
from models.training.loop import objective
from models.training.loop.objective import Objective, chunked_cross_entropy, cross_entropy
from models.training.recipe.sections import OptimizerConfig
from tests.fakes.tiny_networks import SAMPLE, tiny_batch, tiny_model

V, D = 7, 5


def losses(
    rows: int, smoothing: float, bf16: bool, scale: float = 1.0
) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Loss and gradients of features, weight and bias: plain, then chunked."""
    results = []
    for chunked in (False, True):
        torch.manual_seed(0)
        layer, targets = nn.Linear(D, V), torch.randint(V, (rows,))
        features = torch.randn(rows, D, requires_grad=True)
        if chunked:
            value = chunked_cross_entropy(features, layer, targets, smoothing, bf16)
        else:
            value = cross_entropy(layer(features), targets, smoothing)
        (value * scale).backward()
        gradients = (features.grad, layer.weight.grad, layer.bias.grad)
        results.append((value.detach(), *(gradient for gradient in gradients if gradient is not None)))
    return results[0], results[1]


def test_a_uniform_guess_costs_the_logarithm_of_the_vocabulary() -> None:
    assert cross_entropy(torch.zeros(3, V), torch.tensor([0, 1, 6]), 0.0).item() == pytest.approx(
        3 * math.log(V)
    )


def test_label_smoothing_matches_a_computation_by_hand() -> None:
    """The target gets 1 - s and each token, the target too, s / V."""
    logits, s = torch.tensor([[2.0, 0.0, -1.0]]), 0.3
    log_probs = logits.log_softmax(dim=-1)[0].tolist()
    expected = -((1 - s) * log_probs[1] + s / 3 * sum(log_probs))
    assert cross_entropy(logits, torch.tensor([1]), s).item() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("rows", [1, 3, 4, 5, 11])
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.9])
@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_computing_the_loss_in_chunks_changes_nothing(
    rows: int, smoothing: float, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objective, "CHUNK_ROWS", 4)
    plain, chunked = losses(rows, smoothing, bf16=False, scale=scale)
    assert len(chunked) == 4
    for expected, actual in zip(plain, chunked, strict=True):
        torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_in_bf16_is_close(smoothing: float) -> None:
    plain, chunked = losses(600, smoothing, bf16=True)  # more than one chunk
    for expected, actual in zip(plain, chunked, strict=True):
        assert actual.dtype == torch.float32
        difference = (actual - expected).norm() / expected.norm()
        assert 0 < difference < 0.01


@pytest.mark.parametrize("config", SAMPLE.values(), ids=SAMPLE)
def test_a_network_learns_the_same_from_both_losses(
    config: NetworkConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tied output layers get both of their gradients."""
    result = []
    for chunked in (False, True):
        monkeypatch.setattr(objective, "gains_from_chunked_loss", lambda device, gains=chunked: gains)
        model = tiny_model(config).float()
        value = Objective(model, OptimizerConfig(label_smoothing=0.1, bf16=False))(tiny_batch())
        value.backward()
        result.append((value.detach(), {name: weight.grad for name, weight in model.named_parameters()}))
    torch.testing.assert_close(result[1], result[0], rtol=1e-4, atol=1e-5)


def test_padding_costs_nothing() -> None:
    model, batch = tiny_model(SAMPLE["gru-1-bi-initial-additive"]).float(), tiny_batch()
    log_probs = model(batch).log_softmax(dim=-1)
    expected = -sum(
        log_probs[row, position, token].item()
        for row in range(len(batch.src))
        for position, token in enumerate(batch.tgt_out[row].tolist())
        if batch.tgt_mask[row, position]
    )
    value = Objective(model, OptimizerConfig(bf16=False))(batch).item()
    assert value == pytest.approx(expected, rel=1e-5)

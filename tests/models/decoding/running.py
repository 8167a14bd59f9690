"""Shortcuts from a model to what a search finds."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from models.decoding.beam import Finished
from models.decoding.recorder import Recorder
from models.decoding.search import SearchStep, search
from models.decoding.strategies import DecodingStrategy, Greedy, Sampling
from models.decoding.trace import DecodingTrace
from models.networks.base import Seq2SeqModel
from tests.fakes import BOS, EOS


def steps_of(
    model: Seq2SeqModel,
    strategy: DecodingStrategy,
    max_length: int,
    src: torch.Tensor | None = None,
    seed: int = 0,
    bos_id: int = BOS,
    eos_id: int = EOS,
) -> list[SearchStep]:
    """All steps of a search; src (B, S) without padding."""
    src = torch.full((1, 2), 5) if src is None else src
    with torch.inference_mode():
        encoded = model.eval().encode(src, torch.ones_like(src, dtype=torch.bool))
        rng = torch.Generator().manual_seed(seed)
        return list(
            search(model, encoded, strategy, bos_id=bos_id, eos_id=eos_id, max_length=max_length, rng=rng)
        )


def finished_of(
    model: Seq2SeqModel, strategy: DecodingStrategy, max_length: int, seed: int = 0
) -> list[Finished]:
    """The result for one sentence, best first."""
    return steps_of(model, strategy, max_length, seed=seed)[-1].pools[0].finished


def trace_of(
    model: Seq2SeqModel, strategy: DecodingStrategy, max_length: int, seed: int = 0
) -> DecodingTrace:
    """The recorded search over one sentence; tokens are spelt as their ids."""
    chooses = isinstance(strategy, Greedy | Sampling)
    recorder = Recorder(str, lambda ids: " ".join(map(str, ids)), strategy.normalizer, chooses)
    steps, hypotheses = recorder.record(iter(steps_of(model, strategy, max_length, seed=seed)))
    return DecodingTrace("markov", "", (), strategy.name, {}, steps, hypotheses)


def tokens_of(finished: Sequence[Finished]) -> list[tuple[int, ...]]:
    """Their tokens alone."""
    return [sequence.tokens for sequence in finished]

"""Shortcuts from a model to what a search finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from models.decoding.beam import Finished
from models.decoding.recorder import Recorder
from models.decoding.search import SearchStep, search
from models.decoding.strategies import DecodingStrategy
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
    **imposed: Any,
) -> list[SearchStep]:
    """All steps of a search; src (B, S) without padding; `imposed`: processors, forced, overrides."""
    src = torch.full((1, 2), 5) if src is None else src
    with torch.inference_mode():
        encoded = model.eval().encode(src, torch.ones_like(src, dtype=torch.bool))
        rng = torch.Generator().manual_seed(seed)
        return list(
            search(
                model,
                encoded,
                strategy,
                bos_id=bos_id,
                eos_id=eos_id,
                max_length=max_length,
                rng=rng,
                **imposed,
            )
        )


def finished_of(
    model: Seq2SeqModel, strategy: DecodingStrategy, max_length: int, seed: int = 0, **imposed: Any
) -> list[Finished]:
    """The result for one sentence, best first."""
    return steps_of(model, strategy, max_length, seed=seed, **imposed)[-1].pools[0].finished


def trace_of(
    model: Seq2SeqModel, strategy: DecodingStrategy, max_length: int, seed: int = 0, **imposed: Any
) -> DecodingTrace:
    """The recorded search over one sentence; tokens are spelt as their ids."""
    recorder = Recorder(str, lambda ids: " ".join(map(str, ids)), strategy)
    src = torch.full((1, 2), 5)
    with torch.inference_mode():
        steps = search(
            model.eval(),
            model.encode(src, torch.ones_like(src, dtype=torch.bool)),
            strategy,
            bos_id=BOS,
            eos_id=EOS,
            max_length=max_length,
            rng=torch.Generator().manual_seed(seed),
            **imposed,
        )
        recorded = recorder.record(steps)
    return DecodingTrace(
        "markov",
        "",
        (),
        strategy.name,
        {},
        recorded.steps,
        recorded.hypotheses,
        exploration=recorded.exploration,
    )


def tokens_of(finished: Sequence[Finished]) -> list[tuple[int, ...]]:
    """Their tokens alone."""
    return [sequence.tokens for sequence in finished]

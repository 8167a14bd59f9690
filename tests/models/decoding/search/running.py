"""Shortcuts from a model to the results of a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from models.decoding.record.recorder import Recorder
from models.decoding.search.beam import FinishedSequence
from models.decoding.search.loop import search
from models.decoding.search.step import SearchConditions, SearchStep
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.trace import DecodingTrace
from models.networks.base import Seq2SeqModel
from tests.fakes.markov import BOS, EOS


def steps_of(
    model: Seq2SeqModel,
    strategy: DecodingStrategy,
    max_length: int,
    src: torch.Tensor | None = None,
    seed: int = 0,
    bos_id: int = BOS,
    eos_id: int = EOS,
    **conditions: Any,
) -> list[SearchStep]:
    """All steps of a search; src (B, S) without padding; conditions: fields of `SearchConditions`."""
    src = torch.full((1, 2), 5) if src is None else src
    with torch.inference_mode():
        encoded = model.eval().encode(src, torch.ones_like(src, dtype=torch.bool))
        rng = torch.Generator().manual_seed(seed)
        settings = SearchConditions(bos_id, eos_id, max_length, **conditions)
        return list(search(model, encoded, strategy, settings, rng))


def finished_of(
    model: Seq2SeqModel, strategy: DecodingStrategy, max_length: int, seed: int = 0, **conditions: Any
) -> list[FinishedSequence]:
    """The result for one sentence, best first."""
    return steps_of(model, strategy, max_length, seed=seed, **conditions)[-1].pools[0].sequences


def trace_of(
    model: Seq2SeqModel, strategy: DecodingStrategy, max_length: int, seed: int = 0, **conditions: Any
) -> DecodingTrace:
    """The recorded search over one sentence; tokens are spelt as their ids."""
    recorder = Recorder(str, lambda ids: " ".join(map(str, ids)), strategy)
    src = torch.full((1, 2), 5)
    with torch.inference_mode():
        steps = search(
            model.eval(),
            model.encode(src, torch.ones_like(src, dtype=torch.bool)),
            strategy,
            SearchConditions(BOS, EOS, max_length, **conditions),
            torch.Generator().manual_seed(seed),
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


def tokens_of(sequences: Sequence[FinishedSequence]) -> list[tuple[int, ...]]:
    """The tokens of finished hypotheses."""
    return [sequence.tokens for sequence in sequences]

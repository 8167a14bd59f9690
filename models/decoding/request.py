"""The parts that all searches of one call share, whatever the strategy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from models.batch import pad
from models.decoding.options import DecodingOptions
from models.decoding.record.recorder import OnStep, Recorder, Recording
from models.decoding.search.bans import BannedTokens, Constraint
from models.decoding.search.conditions import SearchConditions
from models.decoding.search.loop import search
from models.decoding.search.step import SearchStep
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.search.words import RequiredWords
from models.decoding.status import Stop
from models.networks.base import EncoderOutput, Seq2SeqModel
from models.tokenization.tokenizer import Tokenizer


@dataclass(frozen=True)
class SearchRequest:
    """The parts that all searches of one call share, whatever the strategy."""

    model: Seq2SeqModel
    tokenizer: Tokenizer
    options: DecodingOptions
    constraints: tuple[Constraint, ...]  # the constraints that are switched on
    forced: tuple[int, ...]  # ids of the first tokens of every output
    attention_overrides: Mapping[int, Tensor] = field(default_factory=dict)  # see `SearchConditions`
    words: RequiredWords | None = None  # the required words

    def record(self, source: Sequence[int], strategy: DecodingStrategy, on_step: OnStep) -> Recording:
        """Record the search of one source. A strategy may search again with the budget that remains."""
        current, budget, expanded = self._prepare([source], strategy), strategy.budget, 0
        while True:
            recorder = Recorder(self.tokenizer.token, self.tokenizer.decode, current)
            recording = recorder.record(self._search([source], current), on_step)
            exploration = recording.exploration
            expanded += exploration.expanded
            retry = None
            if exploration.stop is Stop.BUDGET and recording.hypotheses:
                retry = current.retry(recording.hypotheses[0], (current.budget or 0) - exploration.expanded)
            if retry is None:
                return replace(recording, exploration=replace(exploration, expanded=expanded, budget=budget))
            current = retry
            del recorder, recording  # frees their memory before the next search

    def steps(self, sources: Sequence[Sequence[int]], strategy: DecodingStrategy) -> Iterable[SearchStep]:
        """Search all sources together for the best output of each."""
        return self._search(sources, self._prepare(sources, strategy), only_best=True)

    def _prepare(self, sources: Sequence[Sequence[int]], strategy: DecodingStrategy) -> DecodingStrategy:
        may_end_anywhere = not self.constraints and self.words is None
        return strategy.prepare(lambda other: self._search(sources, other), may_end_anywhere)

    @torch.inference_mode()
    def encode(self, sources: Sequence[Sequence[int]]) -> EncoderOutput:
        """Encode the sources."""
        model = self.model.eval()
        src, src_mask = pad(sources, self.tokenizer.pad_id)
        return model.encode(src.to(self.device), src_mask.to(self.device))

    @property
    def device(self) -> torch.device:
        """The device of the network."""
        return next(self.model.parameters()).device

    @torch.inference_mode()
    def _search(
        self, sources: Sequence[Sequence[int]], strategy: DecodingStrategy, *, only_best: bool = False
    ) -> Iterable[SearchStep]:
        """Search all sources together; see `SearchConditions` and `search`."""
        tokenizer = self.tokenizer
        constraints = (BannedTokens(tokenizer.forbidden_ids, tokenizer.eos_id), *self.constraints)
        return search(
            self.model,
            self.encode(sources),
            strategy,
            SearchConditions(
                tokenizer.bos_id,
                tokenizer.eos_id,
                self.options.max_length,
                constraints,
                self.forced,
                self.attention_overrides,
                only_best,
                self.words,
                len(tokenizer.first_ids),
                tokenizer.forces_end,
            ),
            torch.Generator().manual_seed(self.options.seed),
        )

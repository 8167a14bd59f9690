"""What every search of one call has in common, by whatever strategy it searches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from models.batch import pad
from models.decoding.options import DecodingOptions
from models.decoding.record.recorder import Recorder, Recording, Watch
from models.decoding.search.bans import BannedTokens
from models.decoding.search.conditions import Constraints, OutputTokens
from models.decoding.search.loop import search
from models.decoding.search.processors import LogitsProcessor
from models.decoding.search.step import SearchStep
from models.decoding.search.words import RequiredWords
from models.decoding.status import Stop
from models.decoding.strategies import DecodingStrategy
from models.networks.base import EncoderOutput, Seq2SeqModel
from models.tokenization.tokenizer import Tokenizer


@dataclass(frozen=True)
class Request:
    """What every search of one call has in common, by whatever strategy it searches."""

    model: Seq2SeqModel
    tokenizer: Tokenizer
    options: DecodingOptions
    processors: tuple[LogitsProcessor, ...]  # the constraints that are switched on
    forced: tuple[int, ...]  # ids of the first tokens of every output
    overrides: Mapping[int, Tensor] = field(default_factory=dict)  # (1, L, H, S) by step
    words: RequiredWords | None = None  # that must occur

    def record(self, source: Sequence[int], strategy: DecodingStrategy, watch: Watch) -> Recording:
        """The search of one source; one that spent its budget goes on for as long as it learns something."""
        by, budget, spent = self._guided([source], strategy), strategy.budget, 0
        while True:
            recorder = Recorder(self.tokenizer.token, self.tokenizer.decode, by)
            recording = recorder.record(self._search([source], by), watch)
            spent += recording.exploration.expanded
            result = recording.hypotheses if recording.exploration.stop is Stop.BUDGET else ()
            left = (by.budget or 0) - recording.exploration.expanded
            tighter = by.tightened(result[0], left) if result else None
            if tighter is None:
                return replace(
                    recording, exploration=replace(recording.exploration, expanded=spent, budget=budget)
                )
            by = tighter
            del recorder, recording  # they are large, and the next search needs neither

    def steps(self, sources: Sequence[Sequence[int]], strategy: DecodingStrategy) -> Iterable[SearchStep]:
        """The search of all sources together, for the best of each."""
        return self.search(self.encoded(sources), self._guided(sources, strategy), only_best=True)

    def _guided(self, sources: Sequence[Sequence[int]], strategy: DecodingStrategy) -> DecodingStrategy:
        free_to_end = not self.processors and self.words is None
        return strategy.guided(lambda by: self._search(sources, by), free_to_end)

    def _search(self, sources: Sequence[Sequence[int]], strategy: DecodingStrategy) -> Iterable[SearchStep]:
        return self.search(self.encoded(sources), strategy)

    @torch.inference_mode()
    def encoded(self, sources: Sequence[Sequence[int]]) -> EncoderOutput:
        """The sources as the decoder sees them."""
        model = self.model.eval()
        src, src_mask = pad(sources, self.tokenizer.pad_id)
        return model.encode(src.to(self.device), src_mask.to(self.device))

    @property
    def device(self) -> torch.device:
        """Where the network is."""
        return next(self.model.parameters()).device

    @torch.inference_mode()
    def search(
        self,
        encoded: EncoderOutput,
        strategy: DecodingStrategy,
        only_best: bool = False,
    ) -> Iterable[SearchStep]:
        """The search of encoded sources; for the rest see `Constraints` and `search`."""
        tokenizer = self.tokenizer
        processors = (BannedTokens(tokenizer.forbidden_ids, tokenizer.eos_id), *self.processors)
        return search(
            self.model,
            encoded,
            strategy,
            OutputTokens(tokenizer.bos_id, tokenizer.eos_id, len(tokenizer.first_ids), tokenizer.closes),
            Constraints(
                self.options.max_length,
                processors,
                self.forced,
                self.overrides,
                only_best,
                self.words,
            ),
            torch.Generator().manual_seed(self.options.seed),
        )

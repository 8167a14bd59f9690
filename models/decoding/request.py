"""The parts that all searches of one call share, whatever the strategy, and the constraints among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from models.batch import pad
from models.decoding.interventions import banned_ids, required_phrases
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.record.recorder import OnStep, Recorder, Recording
from models.decoding.search.constraints import (
    BannedTokens,
    Constraint,
    MinLength,
    NoRepeatNgram,
    RepetitionPenalty,
)
from models.decoding.search.loop import search
from models.decoding.search.step import SearchConditions, SearchStep
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


def constraints_of(options: DecodingOptions, tokenizer: Tokenizer) -> tuple[Constraint, ...]:
    """Build the constraints that are switched on. Raises DecodingError for an unknown banned word."""
    constraints: list[Constraint] = []
    if options.repetition_penalty != 1:
        constraints.append(RepetitionPenalty(options.repetition_penalty))
    if options.no_repeat_ngram_size:
        constraints.append(NoRepeatNgram(options.no_repeat_ngram_size))
    if options.banned.strip():
        constraints.append(BannedTokens(banned_ids(tokenizer, options.banned), tokenizer.eos_id))
    if options.min_length:
        constraints.append(MinLength(options.min_length, tokenizer.eos_id))
    return tuple(constraints)


def words_of(options: DecodingOptions, tokenizer: Tokenizer) -> RequiredWords | None:
    """Build the required words, or return None if there are none.

    Raises DecodingError if no output can contain them.
    """
    phrases = required_phrases(tokenizer, options.must_contain)
    if not phrases:
        return None
    if not options.build_strategy().allows_required_words:
        raise DecodingError(
            "words_need_hypotheses",
            "Required words work only where several hypotheses compete. Choose a beam search with at "
            "least 2 hypotheses in each group, or an exact search.",
        )
    forbidden_ids = {*tokenizer.forbidden_ids, *tokenizer.never_ids, *banned_ids(tokenizer, options.banned)}
    for phrase in phrases:
        if not forbidden_ids.isdisjoint(phrase.token_ids):
            raise DecodingError(
                "required_and_banned",
                "“{phrase}” is required, but its token “{token}” is banned. Remove it from one "
                "of the two lists.",
                phrase=phrase.text,
                token=tokenizer.token(next(token for token in phrase.token_ids if token in forbidden_ids)),
            )
    words = RequiredWords(phrases)
    max_tokens = options.max_length - len(tokenizer.first_ids) - tokenizer.forces_end
    if words.min_tokens_bound > max_tokens:
        raise DecodingError(
            "required_words_too_long",
            "The required words take at least {count} tokens, but an output has at most {limit}. Raise "
            "the maximum length, or ask for fewer words.",
            count=words.min_tokens_bound,
            limit=max_tokens,
        )
    return words

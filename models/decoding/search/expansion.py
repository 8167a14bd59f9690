"""The expansion of a beam: from a network's logits to the ranked candidates of a step."""

from __future__ import annotations

import torch
from torch import Tensor

from models.decoding.limits import check_numbers
from models.decoding.search.bans import NO_BAN, Bans, TokenBan
from models.decoding.search.beam import Beam, Candidates
from models.decoding.search.conditions import ForcedToken, SearchConditions
from models.decoding.search.processors import forced_only
from models.decoding.search.step import Expansion
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.search.words import PhraseTensors
from models.networks.base import Seq2SeqModel


class Expander:
    """Applies the constraints of a search to the model's distribution, and lets its strategy rank."""

    def __init__(
        self,
        model: Seq2SeqModel,
        strategy: DecodingStrategy,
        conditions: SearchConditions,
        rng: torch.Generator,
        device: torch.device,
    ) -> None:
        self._model, self._strategy, self._rng = model, strategy, rng
        self._conditions = conditions
        self._bans = Bans(conditions.constraints, device)
        self._processors = [
            constraint for constraint in conditions.constraints if not isinstance(constraint, TokenBan)
        ]
        max_tokens = conditions.max_length - conditions.forces_end
        self._words = PhraseTensors(conditions.words, max_tokens, device) if conditions.words else None

    def expand(self, beam: Beam, logits: Tensor) -> Expansion:
        """Return the ranked candidates of a beam; logits (B * K, V).

        Raises DecodingError if a logit is not a number.
        """
        forced = self._conditions.forced_token(beam.length)
        log_probs = self._log_probs(beam, logits, forced)
        if self._words is not None:
            beam = self._words.with_progress(beam)
        # Nearly every search bans some tokens. A copy of all numbers would be slow, so a ban is undone below.
        ban = self._bans.apply(log_probs, beam.length) if forced is None else NO_BAN
        processed = self._process(log_probs, beam, forced)
        candidates = self._strategy.expand(processed, beam, self._rng)
        if beam.words is not None:
            candidates = beam.words.with_banks(candidates)
        ban.restore(log_probs)
        unchanged = processed is log_probs and ban.all_below(candidates.row_top)
        if unchanged and not self._strategy.modifies_scores and beam.rank_scores is beam.cumulative:
            cumulative = candidates.rank_scores  # this search ranks by the model's own numbers
        else:
            cumulative = _cumulative(log_probs, beam, candidates)
        candidates = self._strategy.apply_threshold(candidates)
        return Expansion(log_probs, unchanged, processed, ban, candidates, cumulative, forced)

    def _log_probs(self, beam: Beam, logits: Tensor, forced: ForcedToken | None) -> Tensor:
        """The model's log-probabilities (B, K, V); a token that every output must have gets probability 1."""
        log_probs = self._model.log_probs(logits)
        check_numbers(log_probs)
        if forced is not None and forced.is_set_by_checkpoint:
            log_probs = forced_only(torch.zeros_like(log_probs), forced.token)
        return log_probs.view(*beam.rank_scores.shape, -1)

    def _process(self, log_probs: Tensor, beam: Beam, forced: ForcedToken | None) -> Tensor:
        """The distribution that the strategy sees, (B, K, V); `log_probs` itself if nothing changes it."""
        if forced is not None:
            return forced_only(log_probs, forced.token)
        for processor in self._processors:
            log_probs = processor(log_probs, beam)
        return log_probs


def _cumulative(log_probs: Tensor, beam: Beam, candidates: Candidates) -> Tensor:
    """The model's log-probability of each candidate with its prefix, (B, C)."""
    rows = candidates.parents
    last = log_probs.flatten(1).gather(1, rows * log_probs.shape[2] + candidates.tokens)
    return beam.cumulative.gather(1, rows) + last

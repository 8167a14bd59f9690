"""The search loop, which steps the model for every strategy. It works with any `Seq2SeqModel`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from models.decoding.limits import check_numbers
from models.decoding.search.beam import NEG_INF, Beam, Candidates, Pool
from models.decoding.search.constraints import NO_BAN, Bans, TokenBan, forced_only
from models.decoding.search.frontier import DepthFirst, LiveRows, Lockstep
from models.decoding.search.outcome import OutcomeRule
from models.decoding.search.step import Expansion, ForcedToken, SearchConditions, SearchStep
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.search.words import PhraseTensors
from models.decoding.status import Reason
from models.networks.base import EncoderOutput, Seq2SeqModel
from models.process import FreedMemory


@torch.inference_mode()
def search(
    model: Seq2SeqModel,
    encoded: EncoderOutput,
    strategy: DecodingStrategy,
    conditions: SearchConditions,
    rng: torch.Generator,
) -> Iterator[SearchStep]:
    """Decode all sentences of a batch together, and yield each step when it is done.

    A row holds one prefix, the tokens of an unfinished output. Several rows may hold the same prefix; padding
    rows hold none. At each step the model predicts the next token of each row, and the strategy ranks the
    candidates, each a prefix plus one token. A rule decides which go on, are finished or dropped, and a
    frontier chooses the next rows. Raises ValueError for a depth-first strategy with more than one sentence.
    """
    batch = encoded.memory.shape[0]
    if strategy.depth_first and batch > 1:
        raise ValueError(f"the {strategy.name} strategy searches one sentence at a time; got {batch}")
    pools = tuple(Pool(strategy.pool_size, strategy.num_groups) for _ in range(batch))
    frontier = DepthFirst(strategy, pools[0]) if strategy.depth_first else Lockstep()
    expander = Expander(model, strategy, conditions, rng, encoded.memory.device)
    rows: LiveRows | None = _first_rows(model, encoded, strategy, conditions)
    step_number, expanded, best_omitted, gave_up, freed_memory = 0, 0, NEG_INF, False, FreedMemory()
    while rows is not None and not gave_up:
        beam, sentences = rows.beam, rows.sentences
        predicted = model.step(rows.last_tokens, rows.state, conditions.attention_overrides.get(beam.length))
        expansion = expander.expand(beam, predicted.logits)
        outcomes = OutcomeRule(strategy, conditions, beam, expansion, step_number).decide(sentences, pools)
        expanded += beam.num_prefixes
        best_omitted = max(best_omitted, expansion.candidates.best_omitted)
        attention = predicted.cross_attention
        step = SearchStep(
            number=step_number,
            sentences=sentences,
            beam=beam,
            attention=None if attention is None else attention.unflatten(0, beam.rank_scores.shape),
            outcomes=outcomes,
            pools=pools,
            expanded=expanded,
            **vars(expansion),
        )
        del rows  # frees the state before the step, so that no reordered copy exists beside it
        frontier.push(step, predicted.state)
        del predicted  # frees the state after the step, unless the frontier holds it
        rows = frontier.pop()
        freed_memory.return_if_grown()
        if rows is None:
            # A candidate that the strategy left out, because of its limit on candidates, could win. The worst
            # finished sequence is the only one that a bounded search keeps.
            gave_up = strategy.bounded and best_omitted > pools[0].groups[0].worst
        else:
            gave_up = strategy.budget is not None and expanded >= strategy.budget
        yield replace(step, gave_up=gave_up)
        step_number += 1


def _first_rows(
    model: Seq2SeqModel, encoded: EncoderOutput, strategy: DecodingStrategy, conditions: SearchConditions
) -> LiveRows:
    """Return `num_starts` rows for each sentence; each holds the empty prefix."""
    batch, starts, device = encoded.memory.shape[0], strategy.num_starts, encoded.memory.device
    beam = Beam.start(batch, starts, conditions.eos_id, device)
    state = model.initial_state(encoded)
    if starts > 1:
        row_indices = torch.arange(batch, device=device).repeat_interleave(starts)
        state = state.reorder(row_indices, rows_per_source=starts)
    last_tokens = torch.full((batch * starts,), conditions.bos_id, dtype=torch.int64, device=device)
    return LiveRows(tuple(range(batch)), beam, state, last_tokens)


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
        if forced is not None and forced.reason is not Reason.FORCED:
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

"""The search loop, which steps the model for every strategy. It works with any `Seq2SeqModel`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from models.decoding.search.beam import NEG_INF, Beam, Pool
from models.decoding.search.conditions import SearchConditions
from models.decoding.search.expansion import Expander
from models.decoding.search.frontier import DepthFirst, LiveRows, Lockstep
from models.decoding.search.outcome import OutcomeRule
from models.decoding.search.step import SearchStep
from models.decoding.search.strategy import DecodingStrategy
from models.memory import FreedMemory
from models.networks.base import EncoderOutput, Seq2SeqModel


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

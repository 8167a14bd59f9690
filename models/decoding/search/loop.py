"""The search loop: the only place that steps a model. It never asks what the model is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from models.decoding.limits import check_numbers
from models.decoding.search.bans import NOTHING, Bans
from models.decoding.search.beam import NEVER, Beam, Candidates, Pool
from models.decoding.search.conditions import Constraints, OutputTokens
from models.decoding.search.frontier.depth_first import DepthFirst
from models.decoding.search.frontier.front import Front, TakenStep
from models.decoding.search.frontier.lockstep import Lockstep
from models.decoding.search.outcome import OutcomeRule
from models.decoding.search.processors import LogitsProcessor, forced_only
from models.decoding.search.step import ForcedToken, SearchStep
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.search.words import WordBanks
from models.decoding.status import Reason
from models.device import FreedMemory
from models.networks.base import EncoderOutput, Seq2SeqModel


@torch.inference_mode()
def search(
    model: Seq2SeqModel,
    encoded: EncoderOutput,
    strategy: DecodingStrategy,
    output: OutputTokens,
    constraints: Constraints,
    rng: torch.Generator,
) -> Iterator[SearchStep]:
    """Decode B sentences at once, yielding each step as it is done.

    Raises ValueError for more than one sentence depth first.
    """
    batch = encoded.memory.shape[0]
    if strategy.depth_first and batch > 1:
        raise ValueError(f"the {strategy.name} strategy searches one sentence at a time; got {batch}")
    pools = tuple(Pool(strategy.pool_size, strategy.groups) for _ in range(batch))
    frontier = DepthFirst(strategy, pools[0]) if strategy.depth_first else Lockstep()
    front: Front | None = _start(model, encoded, strategy, output)
    bans = Bans(constraints.processors, encoded.memory.device)
    room = constraints.max_length - output.closes
    words = WordBanks(constraints.words, room, encoded.memory.device) if constraints.words else None
    serial, expanded, unseen = 0, 0, NEVER
    freed = FreedMemory()  # states grow with every token
    while front is not None:
        if words is not None:
            front = replace(front, beam=words.read(front.beam))
        beam = front.beam
        stepped = model.step(front.last, front.state, constraints.attention.get(beam.length))
        forced = _forced(beam.length, output, constraints)
        log_probs = _log_probs(model, stepped.logits, beam, forced)
        candidates, own, plain = _expanded(front, log_probs, strategy, bans, forced, rng)
        closing = forced is not None and forced.reason is Reason.CLOSING
        rule = OutcomeRule(strategy, output.eos_id, beam.length + 1, constraints, closing)
        outcomes = rule.decide(candidates, own, beam, front.sentences, pools, serial)
        expanded += beam.num_prefixes
        frontier.push(TakenStep(front, stepped.state, outcomes, candidates.tempered, serial))
        sentences, attention = front.sentences, _by_row(stepped.cross_attention, beam)
        del front, stepped  # their states, before the frontier makes another one
        front = frontier.pop()
        freed.settle()
        unseen = max(unseen, candidates.unseen)
        exhausted = _gave_up(strategy, front, expanded, unseen, pools[0])
        yield SearchStep(
            serial=serial,
            index=beam.length,
            sentences=sentences,
            beam=beam,
            log_probs=log_probs,
            plain=plain,
            attention=attention,
            candidates=candidates,
            outcomes=outcomes,
            pools=pools,
            expanded=expanded,
            exhausted=exhausted,
            forced=forced,
            eos_id=output.eos_id,
        )
        serial, front = serial + 1, None if exhausted else front


def _gave_up(
    strategy: DecodingStrategy, front: Front | None, expanded: int, unseen: float, pool: Pool
) -> bool:
    """True if a budget is spent, or if the search is over and what it left out might have won."""
    if front is None:
        return strategy.bounded and unseen > pool.groups[0].worst
    return strategy.budget is not None and expanded >= strategy.budget


def _start(
    model: Seq2SeqModel, encoded: EncoderOutput, strategy: DecodingStrategy, output: OutputTokens
) -> Front:
    batch, device = encoded.memory.shape[0], encoded.memory.device
    beam = Beam.start(batch, strategy.num_starts, output.eos_id, device)
    state = model.initial_state(encoded)
    if strategy.num_starts > 1:
        rows = torch.arange(batch, device=device).repeat_interleave(strategy.num_starts)
        state = state.reorder(rows, together=strategy.num_starts)
    last = torch.full((batch * strategy.num_starts,), output.bos_id, dtype=torch.int64, device=device)
    return Front(tuple(range(batch)), beam, state, last)


def _expanded(
    front: Front,
    log_probs: Tensor,
    strategy: DecodingStrategy,
    bans: Bans,
    forced: ForcedToken | None,
    rng: torch.Generator,
) -> tuple[Candidates, Tensor, bool]:
    """The candidates of a step, their totals by `_own_totals`, and whether they are `SearchStep.plain`."""
    beam = front.beam
    # What every search forbids are tokens that are no text, which are hardly ever among the best.
    forbidden = bans.put(log_probs, beam.length) if forced is None else NOTHING
    processed = _processed(log_probs, beam, bans.others, forced)
    candidates = strategy.expand(processed, beam, rng)
    if beam.words is not None:
        candidates = beam.words.weighed(candidates)
    forbidden.put_back(log_probs)
    plain = processed is log_probs and forbidden.below(candidates.row_top)
    own = _own_totals(log_probs, beam, candidates, plain and not strategy.reorders)
    return strategy.judged(candidates), own, plain


def _log_probs(model: Seq2SeqModel, logits: Tensor, beam: Beam, forced: ForcedToken | None) -> Tensor:
    """(A, K, V). Raises DecodingError if any is no number.

    A token that every output has is certain, so it costs nothing.
    """
    log_probs = model.log_probs(logits)
    check_numbers(log_probs)
    if forced is not None and forced.is_given:
        log_probs = forced_only(torch.zeros_like(log_probs), forced.token)
    return log_probs.view(*beam.order.shape, -1)


def _by_row(attention: Tensor | None, beam: Beam) -> Tensor | None:
    """(A, K, L, H, S)."""
    return None if attention is None else attention.view(*beam.order.shape, *attention.shape[1:])


def _forced(length: int, output: OutputTokens, constraints: Constraints) -> ForcedToken | None:
    """What the step behind `length` tokens has to take, if anything."""
    if length < len(constraints.forced):
        reason = Reason.OPENING if length < output.opening else Reason.FORCED
        return ForcedToken(constraints.forced[length], reason)
    if output.closes and length + 1 == constraints.max_length:
        return ForcedToken(output.eos_id, Reason.CLOSING)
    return None


def _processed(
    log_probs: Tensor, beam: Beam, processors: Sequence[LogitsProcessor], forced: ForcedToken | None
) -> Tensor:
    if forced is not None:
        return forced_only(log_probs, forced.token)
    for processor in processors:
        log_probs = processor(log_probs, beam)
    return log_probs


def _own_totals(log_probs: Tensor, beam: Beam, found: Candidates, untouched: bool) -> Tensor:
    """(A, C): the model's own cumulative log-probability of each candidate.

    `untouched`: nothing but the model's numbers ranked this step; if so at every step, they are the order.
    """
    if untouched and beam.order is beam.log_probs:
        return found.order
    rows = found.parents
    own = log_probs.flatten(1).gather(1, rows * log_probs.shape[2] + found.tokens)
    return beam.log_probs.gather(1, rows) + own

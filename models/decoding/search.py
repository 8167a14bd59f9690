"""The search loop: the only place that steps a model. It never asks what the model is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import torch
from torch import Tensor

from models.decoding.beam import EMPTY, NEVER, Beam, Candidates, Choice, Contest, Finished, Pool
from models.decoding.frontier import DepthFirst, Fate, Front, Frontier, Lockstep
from models.decoding.processors import LogitsProcessor, forced_only
from models.decoding.strategies.base import DecodingStrategy
from models.networks.base import EncoderOutput, Seq2SeqModel


class Imposition(Enum):
    """Who says that a step takes one token and no other."""

    OPENING = 1  # the checkpoint: every output begins with it
    FORCED = 2  # the user
    CLOSING = 3  # the checkpoint: what reaches the length limit ends there with the end token


@dataclass(frozen=True)
class Imposed:
    """A token that every row takes. Only the user's ranks them, by what the model says of it."""

    token: int
    by: Imposition


@dataclass(frozen=True)
class SearchStep:
    """Everything one step saw and did, for the A sentences that were still active."""

    serial: int  # number of this step, from 0
    index: int  # tokens that its rows held before it; a depth-first search comes back to smaller ones
    sentences: tuple[int, ...]  # A numbers, positions in the batch
    beam: Beam  # before the step: A x K rows
    log_probs: Tensor  # (A, K, V), the model's own
    plain: bool  # True: the strategy saw just these, no constraint changed them
    attention: Tensor | None  # (A, K, L, H, S), cross-attention of the same rows, as it was used
    candidates: Candidates  # A x C
    fates: tuple[Fate, ...]  # A
    pools: tuple[Pool, ...]  # of all B sentences; in the last step these are the result
    expanded: int  # prefixes that the model was asked about so far
    exhausted: bool  # True: the search ends here without having kept its strategy's promise
    imposed: Imposed | None  # the token that this step had to take
    eos_id: int


@torch.inference_mode()
def search(
    model: Seq2SeqModel,
    encoded: EncoderOutput,
    strategy: DecodingStrategy,
    *,
    bos_id: int,
    eos_id: int,
    max_length: int,
    rng: torch.Generator,
    processors: Sequence[LogitsProcessor] = (),
    forced: Sequence[int] = (),
    opening: int = 0,
    closes: bool = False,
    overrides: Mapping[int, Tensor] | None = None,
) -> Iterator[SearchStep]:
    """Decode B sentences at once, yielding each step as it is done.

    `max_length` counts generated tokens; if it `closes`, the last is the end token. Rows begin with `forced`,
    whose first are the `opening`. Raises ValueError for more than one sentence depth first.
    """
    batch = encoded.memory.shape[0]
    if strategy.depth_first and batch > 1:
        raise ValueError(f"the {strategy.name} strategy searches one sentence at a time; got {batch}")
    pools = tuple(Pool(strategy.pool_size, strategy.groups) for _ in range(batch))
    frontier: Frontier = DepthFirst(strategy, pools[0]) if strategy.depth_first else Lockstep(strategy)
    front: Front | None = _start(model, encoded, strategy, bos_id, eos_id)
    serial, expanded, unseen = 0, 0, NEVER
    while front is not None:
        beam = front.beam
        output = model.step(front.last, front.state, overrides.get(beam.length) if overrides else None)
        log_probs = output.logits.float().log_softmax(dim=-1).view(*beam.order.shape, -1)
        last = closes and beam.length + 1 == max_length
        imposed = _imposed(beam.length, forced, opening, eos_id if last else None)
        processed = _processed(log_probs, beam, processors, imposed)
        candidates = strategy.expand(processed, beam, rng)
        judge = _Judge(strategy, eos_id, beam.length + 1, max_length)
        own = _own_totals(log_probs, beam, candidates, processed is log_probs and not strategy.reorders)
        fates = judge.decide(candidates, own, beam, [pools[s] for s in front.sentences], serial)
        expanded += beam.num_prefixes
        frontier.push(front, output.state, fates, candidates.tempered, serial)
        sentences, front = front.sentences, frontier.pop()
        unseen = max(unseen, candidates.unseen)
        exhausted = _gave_up(strategy, front, expanded, unseen, pools[0])
        yield SearchStep(
            serial=serial,
            index=beam.length,
            sentences=sentences,
            beam=beam,
            log_probs=log_probs,
            plain=processed is log_probs,
            attention=_by_row(output.cross_attention, beam.order.shape),
            candidates=candidates,
            fates=fates,
            pools=pools,
            expanded=expanded,
            exhausted=exhausted,
            imposed=imposed,
            eos_id=eos_id,
        )
        serial, front = serial + 1, None if exhausted else front


def _gave_up(
    strategy: DecodingStrategy, front: Front | None, expanded: int, unseen: float, pool: Pool
) -> bool:
    """True if a budget is spent, or if the search is over and what it left out might have won."""
    if front is None:
        return strategy.bounded and unseen > pool.lanes[0].worst
    return strategy.budget is not None and expanded >= strategy.budget


def _start(
    model: Seq2SeqModel, encoded: EncoderOutput, strategy: DecodingStrategy, bos_id: int, eos_id: int
) -> Front:
    batch, device = encoded.memory.shape[0], encoded.memory.device
    beam = Beam.start(batch, strategy.num_starts, eos_id, device)
    state = model.initial_state(encoded)
    if strategy.num_starts > 1:
        state = state.reorder(torch.arange(batch, device=device).repeat_interleave(strategy.num_starts))
    last = torch.full((batch * strategy.num_starts,), bos_id, dtype=torch.int64, device=device)
    return Front(tuple(range(batch)), beam, state, last)


def _by_row(attention: Tensor | None, shape: torch.Size) -> Tensor | None:
    return None if attention is None else attention.view(*shape, *attention.shape[1:])


def _imposed(length: int, forced: Sequence[int], opening: int, end: int | None) -> Imposed | None:
    """What a step behind `length` tokens takes; `end` is the end token where the step must be the last."""
    if length < len(forced):
        return Imposed(forced[length], Imposition.OPENING if length < opening else Imposition.FORCED)
    return None if end is None else Imposed(end, Imposition.CLOSING)


def _processed(
    log_probs: Tensor, beam: Beam, processors: Sequence[LogitsProcessor], imposed: Imposed | None
) -> Tensor:
    if imposed is not None:
        ranks = imposed.by is Imposition.FORCED
        return forced_only(log_probs if ranks else torch.zeros_like(log_probs), imposed.token)
    for processor in processors:
        log_probs = processor(log_probs, beam)
    return log_probs


def _own_totals(log_probs: Tensor, beam: Beam, found: Candidates, untouched: bool) -> Tensor:
    """(A, C): the model's own cumulative log-probability of each candidate.

    `untouched`: nothing but the model's numbers ranked this step; if so at every step, they are the order.
    """
    if untouched and beam.order is beam.log_probs:
        return found.order
    own = log_probs.flatten(1).gather(1, found.parents * log_probs.shape[2] + found.tokens)
    return beam.log_probs.gather(1, found.parents) + own


@dataclass(frozen=True)
class _Judge:
    """Decides over the candidates of one step, in plain Python.

    A handful of candidates is quicker to walk through than to launch kernels for.
    """

    strategy: DecodingStrategy
    eos_id: int
    length: int  # tokens of a candidate
    max_length: int

    def decide(
        self, found: Candidates, own: Tensor, beam: Beam, pools: Sequence[Pool], serial: int
    ) -> tuple[Fate, ...]:
        """The fates of A sentences, whose finished sequences enter their pools."""
        fates = self._fates(found, own, pools)
        for position, (fate, pool) in enumerate(zip(fates, pools, strict=True)):
            for rank in fate.finished:
                sequence = self._sequence(beam, position, fate, rank, serial)
                pool.lanes[sequence.group].add(sequence)
        return tuple(self._settled(fate, pool) for fate, pool in zip(fates, pools, strict=True))

    def _fates(self, found: Candidates, own: Tensor, pools: Sequence[Pool]) -> tuple[Fate, ...]:
        order, totals, parents, tokens = (
            column.tolist() for column in (found.order, own, found.parents, found.tokens)
        )
        causes = found.causes.tolist() if found.causes is not None else [None] * len(pools)
        return tuple(
            self._fate(order[a], totals[a], parents[a], tokens[a], causes[a], pool)
            for a, pool in enumerate(pools)
        )

    def _fate(
        self,
        order: list[float],
        own: list[float],
        parents: list[int],
        tokens: list[int],
        causes: list[int] | None,
        pool: Pool,
    ) -> Fate:
        ends = [True] * len(tokens) if self.length == self.max_length else [t == self.eos_id for t in tokens]
        size = len(tokens) // len(pool.lanes)
        survivors: list[int] = []
        finished: list[int] = []
        for group, lane in enumerate(pool.lanes):
            mine = slice(group * size, (group + 1) * size)
            contest = Contest(order[mine], ends[mine], None if causes is None else causes[mine])
            choice = self.strategy.choose(contest, lane)
            survivors += self._padded(choice, group * size)
            finished += [group * size + rank for rank in choice.finished]
        return Fate(order, own, parents, tokens, causes, survivors, finished, [])

    def _padded(self, choice: Choice, first: int) -> list[int]:
        """Survivors of a group by their place among all candidates, filled up so that groups keep places."""
        places = [first + rank for rank in choice.survivors]
        width = 0 if self.strategy.depth_first else self.strategy.width // self.strategy.groups
        return places + [EMPTY] * (width - len(places))

    def _sequence(self, beam: Beam, position: int, fate: Fate, rank: int, serial: int) -> Finished:
        history = beam.tokens[position, fate.parents[rank]].tolist()
        own, order = fate.cumulative[rank], fate.order[rank]
        return Finished(
            tokens=(*history, fate.tokens[rank]),
            log_prob=own,
            order=order,
            score=self.strategy.normalizer(own, self.length),
            key=self.strategy.normalizer(self.strategy.basis(own, order), self.length),
            ended=fate.tokens[rank] == self.eos_id,
            serial=serial,
            rank=rank,
            group=rank // (len(fate.tokens) // self.strategy.groups),
        )

    def _settled(self, fate: Fate, pool: Pool) -> Fate:
        """The fate once it is known which groups are done: their survivors stop."""
        if self.strategy.depth_first or not fate.survivors:
            return fate
        width = len(fate.survivors) // len(pool.lanes)
        survivors: list[int] = []
        stopped: list[int] = []
        for group, lane in enumerate(pool.lanes):
            mine = [rank for rank in fate.survivors[group * width : (group + 1) * width] if rank != EMPTY]
            best = max((self.strategy.basis(fate.cumulative[r], fate.order[r]) for r in mine), default=NEVER)
            if mine and self.strategy.is_done(best, self.length, lane, self.max_length):
                stopped += mine
                mine = []
            survivors += mine + [EMPTY] * (width - len(mine))
        return replace(fate, survivors=survivors, stopped=stopped) if stopped else fate

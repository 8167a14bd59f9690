"""The search loop: the only place that steps a model. It never asks what the model is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from models.decoding.beam import NEVER, Beam, Candidates, Finished, Pool
from models.decoding.processors import LogitsProcessor
from models.decoding.strategies import DecodingStrategy
from models.networks.base import EncoderOutput, Seq2SeqModel


@dataclass(frozen=True)
class SearchStep:
    """Everything one step saw and did, for the A sentences that were still active."""

    index: int
    sentences: tuple[int, ...]  # A numbers, positions in the batch
    beam: Beam  # before the step: A x K rows
    log_probs: Tensor  # (A, K, V), the model's own
    attention: Tensor | None  # (A, K, L, H, S), cross-attention of the same rows
    candidates: Candidates  # A x C
    fates: tuple[Fate, ...]  # A
    pools: tuple[Pool, ...]  # of all B sentences; in the last step these are the result
    eos_id: int


@dataclass(frozen=True)
class Fate:
    """What became of one sentence's candidates, by rank; the rest is pruned."""

    cumulative: list[float]  # C
    parents: list[int]  # C
    tokens: list[int]  # C
    survivors: list[int]  # at most W ranks: the next beam, in order
    finished: list[int]  # ranks that finished now


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
) -> Iterator[SearchStep]:
    """Decode B sentences at once, yielding each step as it is done.

    A sentence that is done leaves the batch. `max_length` counts generated tokens, the end token included.
    """
    batch, device = encoded.memory.shape[0], encoded.memory.device
    pools = tuple(Pool(strategy.width) for _ in range(batch))
    sentences = tuple(range(batch))
    beam = Beam.start(batch, strategy.num_starts, device)
    state = model.initial_state(encoded)
    if strategy.num_starts > 1:
        state = state.reorder(torch.arange(batch, device=device).repeat_interleave(strategy.num_starts))
    last = torch.full((batch * strategy.num_starts,), bos_id, dtype=torch.int64, device=device)
    for index in range(max_length):
        output = model.step(last, state)
        shape, attention = beam.log_probs.shape, output.cross_attention
        log_probs = output.logits.float().log_softmax(dim=-1).view(*shape, -1)
        processed = log_probs
        for processor in processors:
            processed = processor(processed, beam)
        candidates = strategy.expand(processed, beam, rng)
        fates = _judge(candidates, strategy.width, eos_id, cut_off=index + 1 == max_length)
        for position, fate in enumerate(fates):
            for rank in fate.finished:
                pools[sentences[position]].add(_sequence(beam, position, fate, rank, strategy, eos_id))
        yield SearchStep(
            index=index,
            sentences=sentences,
            beam=beam,
            log_probs=log_probs,
            attention=None if attention is None else attention.view(*shape, *attention.shape[1:]),
            candidates=candidates,
            fates=fates,
            pools=pools,
            eos_id=eos_id,
        )
        active = [
            position
            for position, fate in enumerate(fates)
            if _goes_on(fate, pools[sentences[position]], strategy, index + 1, max_length)
        ]
        if not active:
            return
        beam, rows = _advance(beam, fates, active, strategy.width)
        # One row per sentence and nobody gone: the rows are where they were.
        unmoved = strategy.width == strategy.num_starts == 1 and len(active) == len(sentences)
        same_source = rows.shape[0] == last.shape[0] and len(active) == len(sentences)
        state = output.state if unmoved else output.state.reorder(rows, same_source)
        last = beam.tokens[:, :, -1].reshape(-1)
        sentences = tuple(sentences[position] for position in active)


def _judge(candidates: Candidates, width: int, eos_id: int, cut_off: bool) -> tuple[Fate, ...]:
    """Finished: among the first `width` and at an end; surviving: the first `width` that are not.

    In plain Python: a handful of candidates is quicker to walk through than to launch kernels for.
    """
    fates = []
    columns = (t.tolist() for t in (candidates.cumulative, candidates.parents, candidates.tokens))
    for cumulative, parents, tokens in zip(*columns, strict=True):
        survivors: list[int] = []
        finished: list[int] = []
        for rank, (total, token) in enumerate(zip(cumulative, tokens, strict=True)):
            if total == NEVER:
                continue
            if cut_off or token == eos_id:
                if rank < width:
                    finished.append(rank)
            elif len(survivors) < width:
                survivors.append(rank)
        fates.append(Fate(cumulative, parents, tokens, survivors, finished))
    return tuple(fates)


def _sequence(
    beam: Beam, position: int, fate: Fate, rank: int, strategy: DecodingStrategy, eos_id: int
) -> Finished:
    history = beam.tokens[position, fate.parents[rank]].tolist()
    return Finished(
        tokens=(*history, fate.tokens[rank]),
        log_prob=fate.cumulative[rank],
        score=strategy.normalizer(fate.cumulative[rank], beam.length + 1),
        ended=fate.tokens[rank] == eos_id,
        step=beam.length,
        rank=rank,
    )


def _goes_on(fate: Fate, pool: Pool, strategy: DecodingStrategy, length: int, max_length: int) -> bool:
    if not fate.survivors:
        return False
    best_running = max(fate.cumulative[rank] for rank in fate.survivors)
    return not strategy.is_done(best_running, length, pool, max_length)


def _advance(beam: Beam, fates: Sequence[Fate], active: list[int], width: int) -> tuple[Beam, Tensor]:
    """The next beam of the active sentences, and for each of its rows the state row it grew from."""
    num_rows, device = beam.log_probs.shape[1], beam.tokens.device
    rows: list[int] = []
    tokens: list[int] = []
    log_probs: list[float] = []
    for position in active:
        fate = fates[position]
        for rank in fate.survivors:
            rows.append(position * num_rows + fate.parents[rank])
            tokens.append(fate.tokens[rank])
            log_probs.append(fate.cumulative[rank])
        empty = width - len(fate.survivors)
        rows += [position * num_rows] * empty
        tokens += [0] * empty
        log_probs += [NEVER] * empty
    parents = torch.tensor(rows, device=device)
    history = beam.tokens.flatten(0, 1).index_select(0, parents)
    following = torch.cat((history, torch.tensor(tokens, device=device).unsqueeze(1)), dim=1)
    totals = torch.tensor(log_probs, dtype=beam.log_probs.dtype, device=device)
    return Beam(following.view(len(active), width, -1), totals.view(len(active), width)), parents

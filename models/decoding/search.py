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
    ends: Tensor  # (A, C) bool: the candidate is an end token
    survivors: Tensor  # (A, W) int64: the candidate that fills each row of the next beam; -1 for none
    finished: tuple[tuple[Finished, ...], ...]  # for each of the A sentences, what finished now
    pools: tuple[Pool, ...]  # of all B sentences; in the last step these are the result


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
        shape = beam.log_probs.shape
        log_probs = output.logits.float().log_softmax(dim=-1).view(*shape, -1)
        processed = log_probs
        for processor in processors:
            processed = processor(processed, beam)
        candidates = strategy.expand(processed, beam, rng)
        ends = candidates.tokens == eos_id
        cut_off = index + 1 == max_length
        survivors = first_open(candidates, ends | cut_off, strategy.width)
        finished = _finish(beam, candidates, ends, strategy, index, cut_off)
        for sentence, sequences in zip(sentences, finished, strict=True):
            for sequence in sequences:
                pools[sentence].add(sequence)
        attention = output.cross_attention
        yield SearchStep(
            index=index,
            sentences=sentences,
            beam=beam,
            log_probs=log_probs,
            attention=None if attention is None else attention.view(*shape, *attention.shape[1:]),
            candidates=candidates,
            ends=ends,
            survivors=survivors,
            finished=finished,
            pools=pools,
        )
        active = _active(candidates, survivors, sentences, pools, strategy, index + 1, max_length)
        if not active:
            return
        beam, rows = _advance(beam, candidates, survivors, active)
        # One row per sentence and nobody gone: the rows are where they were.
        unmoved = strategy.width == strategy.num_starts == 1 and len(active) == len(sentences)
        same_source = rows.shape[0] == last.shape[0] and len(active) == len(sentences)
        state = output.state if unmoved else output.state.reorder(rows, same_source)
        last = beam.tokens[:, :, -1].reshape(-1)
        sentences = tuple(sentences[position] for position in active)


def first_open(candidates: Candidates, ends: Tensor, width: int) -> Tensor:
    """The first `width` candidates that exist and did not end, in rank order: (A, W), -1 where none."""
    is_open = ~ends & (candidates.cumulative > NEVER)
    order = (~is_open).to(torch.uint8).sort(dim=1, stable=True).indices[:, :width]
    chosen = torch.where(is_open.gather(1, order), order, -1)
    return torch.nn.functional.pad(chosen, (0, width - chosen.shape[1]), value=-1)


def _finish(
    beam: Beam, candidates: Candidates, ends: Tensor, strategy: DecodingStrategy, index: int, cut_off: bool
) -> tuple[tuple[Finished, ...], ...]:
    """What finishes now: a candidate of the first `width` that ended, or any of them at the limit."""
    first = slice(0, strategy.width)
    finishing = candidates.cumulative[:, first] > NEVER
    if not cut_off:
        finishing = finishing & ends[:, first]
    finished: list[list[Finished]] = [[] for _ in range(ends.shape[0])]
    for sentence, rank in finishing.nonzero().tolist():
        parent = candidates.parents[sentence, rank]
        log_prob = candidates.cumulative[sentence, rank].item()
        finished[sentence].append(
            Finished(
                tokens=(*beam.tokens[sentence, parent].tolist(), int(candidates.tokens[sentence, rank])),
                log_prob=log_prob,
                score=strategy.normalizer(log_prob, index + 1),
                ended=bool(ends[sentence, rank]),
                step=index,
                rank=rank,
            )
        )
    return tuple(tuple(sequences) for sequences in finished)


def _active(
    candidates: Candidates,
    survivors: Tensor,
    sentences: tuple[int, ...],
    pools: tuple[Pool, ...],
    strategy: DecodingStrategy,
    length: int,
    max_length: int,
) -> list[int]:
    """Positions of the sentences that go on."""
    best = candidates.cumulative.gather(1, survivors.clamp_min(0)).masked_fill(survivors < 0, NEVER)
    return [
        position
        for position, best_running in enumerate(best.amax(dim=1).tolist())
        if best_running > NEVER
        and not strategy.is_done(best_running, length, pools[sentences[position]], max_length)
    ]


def _advance(beam: Beam, candidates: Candidates, survivors: Tensor, active: list[int]) -> tuple[Beam, Tensor]:
    """The next beam of the active sentences, and for each of its rows the state row it grew from."""
    kept = torch.tensor(active, device=survivors.device)
    chosen = survivors[kept]  # (A', W)
    empty, places = chosen < 0, chosen.clamp_min(0)
    parents = candidates.parents[kept].gather(1, places)
    tokens = candidates.tokens[kept].gather(1, places)
    log_probs = candidates.cumulative[kept].gather(1, places).masked_fill(empty, NEVER)
    history = beam.tokens[kept.unsqueeze(1), parents]  # (A', W, T)
    rows = (kept.unsqueeze(1) * beam.log_probs.shape[1] + parents).reshape(-1)
    return Beam(torch.cat((history, tokens.unsqueeze(-1)), dim=-1), log_probs), rows

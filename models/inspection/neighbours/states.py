"""The states of a network while it reads and writes given sentences: one row for each token.

Three kinds: of the decoder, what the output layer reads; the context vector of attention, which is the
source's memory weighted by cross-attention (its mean over layers and heads, where there are several); and
of the encoder, one for each token that it has read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor

from models.batch import Batch
from models.budget import rest
from models.corpus.pairs import Pair
from models.decoding.limits import MAX_OUTPUT_TOKENS, MAX_SOURCE_TOKENS
from models.networks.base import Seq2SeqModel
from models.registry.checkpoint import Checkpoint
from models.tokenization.pictures import PictureError

DECODER, CONTEXT, SOURCE = "decoder", "context", "source"
KINDS = (DECODER, CONTEXT, SOURCE)
MAX_STEPS = 200_000  # of the decoder, and as many of the encoder
PART_STEPS = 8192  # rows of one part, of either
BATCH_ROWS, BATCH_STEPS = 64, 2048  # sentences, and tokens with padding, in one pass
READ_AHEAD = 1024  # pairs that are cut into tokens together


@dataclass(frozen=True)
class StateTable:
    """N states of one kind, and where each was."""

    vectors: Tensor  # (N, D) float16
    squares: Tensor  # (N,) float32, the squared Euclidean norm of each
    tokens: Tensor  # (N,) int32, what was written there, or read; of a picture the cell's number
    pairs: Tensor  # (N,) int32, which of the part's pairs
    places: Tensor  # (N,) int32, the place of the token, from 0

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True)
class StatePart:
    """The states of some sentences."""

    pairs: tuple[Pair, ...]
    tables: Mapping[str, StateTable]  # by kind; without attention there is no context


@dataclass(frozen=True)
class Example:
    """A pair that the network can read and write, in ids."""

    pair: Pair
    source: Sequence[int]  # S; of a picture its pixels
    target: Sequence[int]  # T, the end token included
    read: int  # rows of the encoder's output


@dataclass(frozen=True)
class Unfolded:
    """A batch as a network went through it, teacher-forced."""

    features: Tensor  # (B, T, D), what the output layer reads
    context: Tensor | None  # (B, T, D), None without attention
    attention: Tensor | None  # (B, T, L, H, S)
    memory: Tensor  # (B, S, D)
    mask: Tensor  # (B, S) bool


@torch.inference_mode()
def unfold(model: Seq2SeqModel, batch: Batch) -> Unfolded:
    """Step by step, for one pass over the whole target gives no attention."""
    encoded = model.encode(batch.src, batch.src_mask)
    state = model.initial_state(encoded)
    features, attentions = [], []
    for tokens in batch.tgt_in.unbind(1):
        output = model.step(tokens, state)
        state = output.state
        features.append(output.hidden)
        if output.cross_attention is not None:
            attentions.append(output.cross_attention)
    attention = torch.stack(attentions, dim=1) if attentions else None
    context = None if attention is None else attention.mean(dim=(2, 3)) @ encoded.memory
    return Unfolded(torch.stack(features, dim=1), context, attention, encoded.memory, encoded.mask)


def examples(checkpoint: Checkpoint, pairs: Iterable[Pair]) -> Iterator[Example]:
    """The pairs that fit the network, in order; what is too long, or no picture, is left out."""
    tokenizer, longest = checkpoint.tokenizer, checkpoint.model.max_positions or MAX_SOURCE_TOKENS
    grid = tokenizer.picture
    waiting = iter(pairs)
    while block := tuple(islice(waiting, READ_AHEAD)):
        sources = _readable(checkpoint, [source for source, _ in block])
        targets = tokenizer.target.encode_ids([target for _, target in block])
        for pair, source, target in zip(block, sources, targets, strict=True):
            written = (*tokenizer.first_ids, *target)
            if source is None or len(written) > min(MAX_OUTPUT_TOKENS, longest):
                continue
            read = len(source) if grid is None else grid.cells**2
            if read <= min(MAX_SOURCE_TOKENS, longest):
                yield Example(pair, source, written, read)


def _readable(checkpoint: Checkpoint, texts: Sequence[str]) -> Sequence[Sequence[int] | None]:
    """The ids of each; None for a text where a picture is wanted."""
    if checkpoint.tokenizer.picture is None:
        return checkpoint.tokenizer.encode_ids(texts)
    result: list[Sequence[int] | None] = []
    for text in texts:
        try:
            result += checkpoint.tokenizer.encode_ids([text])
        except PictureError:
            result.append(None)
    return result


def first(found: Iterable[Example], most: int) -> Iterator[Example]:
    """As many as have `most` steps together, of the decoder or of the encoder, whichever are more."""
    written = read = 0
    for item in found:
        written, read = written + len(item.target), read + item.read
        if max(written, read) > most:
            return
        yield item


def divided(found: Iterable[Example], most: int = PART_STEPS) -> Iterator[tuple[Example, ...]]:
    """In parts of at most so many steps, in their order; none is empty."""
    waiting: list[Example] = []
    written = read = 0
    for item in found:
        written, read = written + len(item.target), read + item.read
        if waiting and max(written, read) > most:
            yield tuple(waiting)
            waiting, written, read = [], len(item.target), item.read
        waiting.append(item)
    if waiting:
        yield tuple(waiting)


def states(checkpoint: Checkpoint, found: Sequence[Example]) -> StatePart:
    """The states of some sentences, in batches of like length. Needs at least one."""
    gathered: dict[str, list[StateTable]] = {}
    for chosen in batches(found):
        rest()
        batch = batch_of(checkpoint, [found[i] for i in chosen])
        tables = _tables(checkpoint, batch, torch.tensor(chosen))
        for kind, table in tables.items():
            gathered.setdefault(kind, []).append(table)
    tables = {kind: _joined(those) for kind, those in gathered.items()}
    return StatePart(tuple(item.pair for item in found), tables)


def batches(found: Sequence[Example]) -> Iterator[list[int]]:
    """Places of sentences that are of like length, the short ones first."""
    order = sorted(range(len(found)), key=lambda i: (len(found[i].target), found[i].read))
    waiting: list[int] = []
    for place in order:
        size = max(len(found[place].target), found[place].read)
        if waiting and (len(waiting) == BATCH_ROWS or (len(waiting) + 1) * size > BATCH_STEPS):
            yield waiting
            waiting = []
        waiting.append(place)
    if waiting:
        yield waiting


def batch_of(checkpoint: Checkpoint, found: Sequence[Example]) -> Batch:
    """On the network's device."""
    tokenizer = checkpoint.tokenizer
    sources, targets = [item.source for item in found], [item.target for item in found]
    batch = Batch.from_ids(sources, targets, bos_id=tokenizer.bos_id, pad_id=tokenizer.pad_id)
    return batch.to(next(checkpoint.model.parameters()).device)


def _tables(checkpoint: Checkpoint, batch: Batch, rows: Tensor) -> dict[str, StateTable]:
    """rows (B,): which pair of the part each row is."""
    unfolded = unfold(checkpoint.model, batch)
    cells = torch.arange(unfolded.mask.shape[1], device=batch.src.device).expand(unfolded.mask.shape)
    read = batch.src if checkpoint.tokenizer.picture is None else cells
    tables = {
        DECODER: _table(unfolded.features, batch.tgt_mask, batch.tgt_out, rows),
        SOURCE: _table(unfolded.memory, unfolded.mask, read, rows),
    }
    if unfolded.context is not None:
        tables[CONTEXT] = _table(unfolded.context, batch.tgt_mask, batch.tgt_out, rows)
    return tables


def _table(vectors: Tensor, mask: Tensor, tokens: Tensor, rows: Tensor) -> StateTable:
    """vectors (B, N, D), mask and tokens (B, N) -> the rows that are no padding."""
    row, place = (index.cpu() for index in mask.nonzero(as_tuple=True))
    largest = torch.finfo(torch.float16).max
    rounded = vectors[mask].float().clamp(-largest, largest).half().cpu()
    squares = rounded.double().square().sum(dim=1).float()
    return StateTable(rounded, squares, tokens[mask].int().cpu(), rows[row].int(), place.int())


def _joined(tables: Sequence[StateTable]) -> StateTable:
    columns = zip(*(vars(table).values() for table in tables), strict=True)
    return StateTable(*(torch.cat(column) for column in columns))

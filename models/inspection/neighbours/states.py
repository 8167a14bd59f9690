"""The states of a network on given sentences, with teacher forcing: one row for each token.

There are three kinds: the output layer's inputs; the context vector of attention, which is the encoder's
output weighted by cross-attention (its mean over layers and heads); and the encoder's output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor

from models.batch import Batch
from models.budget import let_others_run
from models.corpus.pairs import Pair
from models.decoding.limits import MAX_OUTPUT_TOKENS, MAX_SOURCE_TOKENS
from models.networks.base import Seq2SeqModel
from models.registry.checkpoint import Checkpoint
from models.tokenization.pictures import PictureError

DECODER_STATES, CONTEXT_STATES, SOURCE_STATES = "decoder", "context", "source"
STATE_KINDS = (DECODER_STATES, CONTEXT_STATES, SOURCE_STATES)
MAX_STORED_STEPS = 200_000  # stored steps of the decoder, and of the encoder
PART_STEPS = 8192  # steps of the decoder in one part, and of the encoder
BATCH_ROWS, BATCH_STEPS = 64, 2048  # sentences of a batch, and its tokens with padding, at most
PAIRS_PER_TOKENIZATION = 1024  # pairs that are tokenized together


@dataclass(frozen=True)
class StateTable:
    """N states of one kind, with the token and the position of each."""

    vectors: Tensor  # (N, D) float16
    squares: Tensor  # (N,) float32, the squared Euclidean norm of each
    tokens: Tensor  # (N,) int32, the token predicted or read; for a picture the cell's number
    pairs: Tensor  # (N,) int32, index of the pair in the part
    places: Tensor  # (N,) int32, position of the token, from 0

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True)
class StatePart:
    """The states of some sentences."""

    pairs: tuple[Pair, ...]
    tables: Mapping[str, StateTable]  # tables by kind; without attention there is no context


@dataclass(frozen=True)
class Example:
    """A pair that the network can read and write, in ids."""

    pair: Pair
    source: Sequence[int]  # S; a picture's pixels
    target: Sequence[int]  # T, the end token included
    read: int  # rows of the encoder's output


@dataclass(frozen=True)
class UnrolledStates:
    """The states of a batch, with teacher forcing."""

    features: Tensor  # (B, T, D), the output layer's inputs
    context: Tensor | None  # (B, T, D); None for a network without attention
    memory: Tensor  # (B, S, D)
    mask: Tensor  # (B, S) bool


@torch.inference_mode()
def unroll(model: Seq2SeqModel, batch: Batch) -> UnrolledStates:
    """Run the network step by step, since a single pass over the target returns no attention."""
    encoded = model.encode(batch.src, batch.src_mask)
    state = model.initial_state(encoded)
    features, attentions = [], []
    for tokens in batch.tgt_in.unbind(1):
        output = model.step(tokens, state)
        state = output.state
        features.append(output.hidden)
        if output.cross_attention is not None:
            attentions.append(output.cross_attention)
    # The attention of all steps is (B, T, L, H, S).
    context = torch.stack(attentions, dim=1).mean(dim=(2, 3)) @ encoded.memory if attentions else None
    return UnrolledStates(torch.stack(features, dim=1), context, encoded.memory, encoded.mask)


def examples(checkpoint: Checkpoint, pairs: Iterable[Pair]) -> Iterator[Example]:
    """The pairs that fit the network, in order; long ones, and texts instead of pictures, are left out."""
    tokenizer, longest = checkpoint.tokenizer, checkpoint.model.max_positions or MAX_SOURCE_TOKENS
    grid = tokenizer.picture
    waiting = iter(pairs)
    while block := tuple(islice(waiting, PAIRS_PER_TOKENIZATION)):
        sources = _readable(checkpoint, [source for source, _ in block])
        targets = tokenizer.target.encode_ids([target for _, target in block])
        for pair, source, target in zip(block, sources, targets, strict=True):
            target_ids = (*tokenizer.first_ids, *target)
            if source is None or len(target_ids) > min(MAX_OUTPUT_TOKENS, longest):
                continue
            rows = len(source) if grid is None else grid.cells**2
            if rows <= min(MAX_SOURCE_TOKENS, longest):
                yield Example(pair, source, target_ids, rows)


def _readable(checkpoint: Checkpoint, texts: Sequence[str]) -> Sequence[Sequence[int] | None]:
    """The ids of each text; None for a text that should be a picture and is not."""
    if checkpoint.tokenizer.picture is None:
        return checkpoint.tokenizer.encode_ids(texts)
    encoded: list[Sequence[int] | None] = []
    for text in texts:
        try:
            encoded += checkpoint.tokenizer.encode_ids([text])
        except PictureError:
            encoded.append(None)
    return encoded


def first_examples(examples: Iterable[Example], max_steps: int) -> Iterator[Example]:
    """The first examples that together have at most `max_steps` steps in decoder and encoder each."""
    decoder_steps = encoder_steps = 0
    for example in examples:
        decoder_steps, encoder_steps = decoder_steps + len(example.target), encoder_steps + example.read
        if max(decoder_steps, encoder_steps) > max_steps:
            return
        yield example


def divide(examples: Iterable[Example], max_steps: int = PART_STEPS) -> Iterator[tuple[Example, ...]]:
    """Split examples, in their order, into nonempty groups of at most `max_steps` steps."""
    waiting: list[Example] = []
    decoder_steps = encoder_steps = 0
    for example in examples:
        decoder_steps, encoder_steps = decoder_steps + len(example.target), encoder_steps + example.read
        if waiting and max(decoder_steps, encoder_steps) > max_steps:
            yield tuple(waiting)
            waiting, decoder_steps, encoder_steps = [], len(example.target), example.read
        waiting.append(example)
    if waiting:
        yield tuple(waiting)


def states(checkpoint: Checkpoint, examples: Sequence[Example]) -> StatePart:
    """The states of at least one example, computed in batches of similar length."""
    gathered: dict[str, list[StateTable]] = {}
    for indices in batches(examples):
        let_others_run()
        batch = batch_of(checkpoint, [examples[i] for i in indices])
        tables = _tables(checkpoint, batch, torch.tensor(indices))
        for kind, table in tables.items():
            gathered.setdefault(kind, []).append(table)
    tables = {kind: _join(parts) for kind, parts in gathered.items()}
    return StatePart(tuple(example.pair for example in examples), tables)


def batches(examples: Sequence[Example]) -> Iterator[list[int]]:
    """Indices of the examples of each batch: examples of similar length, the short ones first."""
    by_length = sorted(range(len(examples)), key=lambda i: (len(examples[i].target), examples[i].read))
    waiting: list[int] = []
    for index in by_length:
        size = max(len(examples[index].target), examples[index].read)
        if waiting and (len(waiting) == BATCH_ROWS or (len(waiting) + 1) * size > BATCH_STEPS):
            yield waiting
            waiting = []
        waiting.append(index)
    if waiting:
        yield waiting


def batch_of(checkpoint: Checkpoint, examples: Sequence[Example]) -> Batch:
    """The batch of some examples, on the network's device."""
    tokenizer = checkpoint.tokenizer
    sources, targets = [example.source for example in examples], [example.target for example in examples]
    batch = Batch.from_ids(sources, targets, bos_id=tokenizer.bos_id, pad_id=tokenizer.pad_id)
    return batch.to(next(checkpoint.model.parameters()).device)


def _tables(checkpoint: Checkpoint, batch: Batch, rows: Tensor) -> dict[str, StateTable]:
    """The states of a batch by kind; rows (B,): index of each row's pair in the part."""
    unrolled = unroll(checkpoint.model, batch)
    cells = torch.arange(unrolled.mask.shape[1], device=batch.src.device).expand(unrolled.mask.shape)
    source_tokens = batch.src if checkpoint.tokenizer.picture is None else cells
    tables = {
        DECODER_STATES: _table(unrolled.features, batch.tgt_mask, batch.tgt_out, rows),
        SOURCE_STATES: _table(unrolled.memory, unrolled.mask, source_tokens, rows),
    }
    if unrolled.context is not None:
        tables[CONTEXT_STATES] = _table(unrolled.context, batch.tgt_mask, batch.tgt_out, rows)
    return tables


def _table(vectors: Tensor, mask: Tensor, tokens: Tensor, rows: Tensor) -> StateTable:
    """The rows without padding; vectors (B, N, D), mask and tokens (B, N)."""
    row, position = (indices.cpu() for indices in mask.nonzero(as_tuple=True))
    largest = torch.finfo(torch.float16).max
    rounded = vectors[mask].float().clamp(-largest, largest).half().cpu()
    squares = rounded.double().square().sum(dim=1).float()
    return StateTable(rounded, squares, tokens[mask].int().cpu(), rows[row].int(), position.int())


def _join(tables: Sequence[StateTable]) -> StateTable:
    columns = zip(*(vars(table).values() for table in tables), strict=True)
    return StateTable(*(torch.cat(column) for column in columns))

"""The training and validation pairs of a run, and the batches made of them."""

from __future__ import annotations

import math
import random
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from models.batch import Batch, FixedBatch
from models.corpus.files.columns import Hints, parse_columns
from models.corpus.files.reading import Reading, read_parallel
from models.corpus.generated.all_tasks import generate_split
from models.corpus.pairs import Pair, Split
from models.device import gains_from_pinned_memory, has_room
from models.tokenization.tokenizer import Tokenizer
from models.training.data.batches import Size, bucket_by_length, short_pair_indices
from models.training.process_group import Group
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import FILES_TASK, DataConfig


def load_corpus(
    config: DataConfig,
    folder: Path,
    seed: int,
    recipe_folder: Path = Path(),
    on_reading: Callable[[Reading], None] = lambda reading: None,
) -> Split:
    """The pairs of a task: files from `folder`, a supplement from `recipe_folder`. Raises DataError.

    `on_reading` gets what was understood of each file.
    """
    if config.task != FILES_TASK:
        rng = random.Random(seed)
        return generate_split(config.task, config.train_size, config.valid_size, rng, config.options)
    usual = Hints(languages=(config.source_language, config.target_language), swap=config.swap)
    hints = replace(usual, named=parse_columns(config.columns)) if config.columns else usual
    left_out = 0

    def read(path: Path, hints: Hints) -> tuple[Reading, tuple[Pair, ...]]:
        nonlocal left_out
        reading = read_parallel(path, hints)
        on_reading(reading)
        selection = reading.select()
        left_out += selection.malformed_count
        return reading, selection.pairs

    first, train = read(folder / config.train, hints)
    # If the order of a smaller file's columns is not evident, it is that of the first file.
    swap = config.swap if first.table.has_names else first.columns.source > first.columns.references[0]
    _, valid = read(folder / config.valid, replace(hints, swap=swap))
    if config.supplement:
        more = read(recipe_folder / config.supplement, replace(usual, swap=swap))[1]
        train += more * config.supplement_repeats
    return Split(train, valid, f"Rows left out, without two texts: {left_out:,}." if left_out else "")


def as_people_type(text: str, rng: random.Random) -> str:
    """The text as in a chat: at random without its capitals, its final mark or its accents."""
    if rng.random() < 0.7:
        text = text[:1].lower() + text[1:] if rng.random() < 0.5 else text.lower()
    if rng.random() < 0.5:
        text = text.rstrip(".!?").lstrip("¿¡") or text
    if rng.random() < 0.3:
        # Spanish ñ is a letter of its own, and people do type it.
        protected = text.replace("ñ", "\0").replace("Ñ", "\1")
        bare = "".join(c for c in unicodedata.normalize("NFD", protected) if not unicodedata.combining(c))
        text = bare.replace("\0", "ñ").replace("\1", "Ñ")
    return text


class _Pictures(Sequence[Sequence[int]]):
    """The pixels of many pictures, unpacked on demand: all at once would fill the memory."""

    def __init__(self, tokenizer: Tokenizer, texts: Sequence[str]) -> None:
        self._tokenizer, self._texts = tokenizer, texts

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, index: Any) -> Any:
        return self._tokenizer.encode_ids([self._texts[index]])[0]


@dataclass(frozen=True)
class EncodedPairs:
    """Pairs that are short enough, in tokens; the cells of a picture are its tokens."""

    pairs: list[Pair]
    sources: Sequence[Sequence[int]]
    targets: Sequence[Sequence[int]]
    source_lengths: list[int]
    target_lengths: list[int]

    @property
    def usual_length(self) -> int:
        """Tokens that 99 of 100 sources do not exceed."""
        return sorted(self.source_lengths)[math.ceil(0.99 * len(self.source_lengths)) - 1]


def encode_short_pairs(tokenizer: Tokenizer, pairs: Sequence[Pair], max_tokens: int) -> EncodedPairs:
    """The pairs with at most `max_tokens` tokens on either side. Raises DataError if there are none."""
    texts, grid = [source for source, _ in pairs], tokenizer.picture
    targets = tokenizer.target.encode_ids([target for _, target in pairs])
    sources = None if grid else tokenizer.encode_ids(texts)
    lengths = [grid.cells**2] * len(pairs) if grid else [len(ids) for ids in sources or ()]
    indices = short_pair_indices(lengths, [len(ids) for ids in targets], max_tokens)
    return EncodedPairs(
        pairs=[pairs[i] for i in indices],
        sources=_Pictures(tokenizer, [texts[i] for i in indices])
        if sources is None
        else [sources[i] for i in indices],
        targets=[targets[i] for i in indices],
        source_lengths=[lengths[i] for i in indices],
        target_lengths=[len(targets[i]) for i in indices],
    )


@dataclass(frozen=True)
class TokenRows:
    """Rows of ids, stored one after the other without padding.

    The last row, `filler`, does not belong to the corpus: it fills up batches.
    """

    ids: Tensor  # (all lengths together,) int32
    starts: Tensor  # (N + 1,) int64
    lengths: Tensor  # (N + 1,) int64
    pad_id: int

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[int]], *, filler: Sequence[int], pad_id: int) -> TokenRows:
        """Store rows of ids on the CPU."""
        lengths = [*map(len, rows), len(filler)]
        ids = torch.tensor([*chain.from_iterable(rows), *filler, pad_id], dtype=torch.int32)
        starts = torch.tensor([0, *accumulate(lengths[:-1])])
        return cls(ids, starts, torch.tensor(lengths), pad_id)

    @property
    def filler(self) -> int:
        """The index of the row that fills up batches."""
        return len(self.lengths) - 1

    @property
    def num_bytes(self) -> int:
        """The memory of all rows."""
        return self.ids.nbytes + self.starts.nbytes + self.lengths.nbytes

    def to(self, device: torch.device) -> TokenRows:
        """The same rows on another device."""
        return TokenRows(self.ids.to(device), self.starts.to(device), self.lengths.to(device), self.pad_id)

    def batch(self, rows: Sequence[int], count: int, width: int) -> tuple[Tensor, Tensor]:
        """Rows of at most `width` ids, filled up to `count` rows: ids (count, width) int64, mask bool."""
        numbers = torch.tensor([*rows, *[self.filler] * (count - len(rows))])
        device = self.ids.device
        if device != numbers.device:
            numbers = (numbers.pin_memory() if gains_from_pinned_memory(device) else numbers).to(
                device, non_blocking=True
            )
        places = torch.arange(width, device=device)
        mask = places < self.lengths.index_select(0, numbers).unsqueeze(1)
        starts = self.starts.index_select(0, numbers).unsqueeze(1)
        ids = self.ids.take((starts + places).clamp_(max=len(self.ids) - 1))
        return ids.long().masked_fill_(~mask, self.pad_id), mask


class TrainingData:
    """The training pairs as token ids, in a new order each epoch; seed and epoch determine the order."""

    def __init__(
        self, config: TrainingConfig, corpus: Split, tokenizer: Tokenizer, device: torch.device | None = None
    ) -> None:
        """The ids are stored on `device`, which needs the batches, if it has room for them."""
        self.config, self.tokenizer = config, tokenizer
        self.encoded = encode_short_pairs(tokenizer, corpus.train, config.data.max_pieces)
        self.pairs, self.sources = self.encoded.pairs, self.encoded.sources
        self.targets = self.encoded.targets
        self._target_rows = TokenRows.from_rows(self.targets, filler=(), pad_id=Tokenizer.pad_id)
        self._source_rows: TokenRows | None = None  # None: built for each batch
        if not (tokenizer.picture or config.data.casual_sources):
            self._source_rows = _source_rows(self.sources)
            size = self._source_rows.num_bytes + self._target_rows.num_bytes
            if device is not None and has_room(device, size):
                self._source_rows, self._target_rows = (
                    rows.to(device) for rows in (self._source_rows, self._target_rows)
                )

    def epoch(self, epoch: int) -> Iterator[list[int]]:
        """The indices of each batch."""
        rng = random.Random(f"{self.config.seed} {epoch}")
        lengths = self.encoded.source_lengths, self.encoded.target_lengths
        return bucket_by_length(*lengths, self.config.batch_tokens, rng)

    def sizes(self) -> list[Size]:
        """The size of each batch of an epoch, the same in every epoch except where sources change."""
        sources, targets = self.encoded.source_lengths, self.encoded.target_lengths
        if self.tokenizer.picture:  # a picture has more pixels than cells
            sources = [len(self.sources[0])] * len(targets)
        return [
            Size(len(indices), max(sources[i] for i in indices), max(targets[i] for i in indices))
            for indices in self.epoch(0)
        ]

    def target_tokens(self, indices: list[int]) -> int:
        """The number of tokens of these pairs that count towards the loss."""
        return sum(self.encoded.target_lengths[i] for i in indices)

    def batch(self, indices: list[int], epoch: int) -> Batch:
        """The pairs of one batch; the sources that lose capitals or accents change by epoch."""
        return self._pad(self._sources(indices, epoch), indices)

    def fixed_batch(self, indices: list[int], epoch: int, sizes: Sequence[Size]) -> FixedBatch | None:
        """The same pairs padded to the first of these sizes that holds them; None if none does."""
        sources = self._sources(indices, epoch)
        least = self._size(sources, indices)
        size = next((size for size in sizes if size.holds(least)), None)
        return None if size is None else FixedBatch(*self._tensors(sources, indices, size))

    def micro_batches(
        self, indices: list[int], epoch: int, group: Group, count: int
    ) -> list[tuple[Batch, float]]:
        """A process's share of a batch in at most `count` micro-batches of similar size, with their weights.

        A process without a pair gets one of weight 0, since every process must take part.
        """
        sources = dict(zip(indices, self._sources(indices, epoch), strict=True))
        share, weight = (group.share(indices), 1.0) if group.share(indices) else (indices[:1], 0.0)
        size = -(-len(share) // min(count, len(share)))
        parts = [share[start : start + size] for start in range(0, len(share), size)]
        return [(self._pad([sources[i] for i in part], part), weight) for part in parts]

    def _pad(self, sources: list[Sequence[int]], indices: list[int]) -> Batch:
        return Batch(*self._tensors(sources, indices, self._size(sources, indices)))

    def _size(self, sources: list[Sequence[int]], indices: list[int]) -> Size:
        target = max(self.encoded.target_lengths[i] for i in indices)
        return Size(len(indices), max(map(len, sources)), target)

    def _tensors(self, sources: list[Sequence[int]], indices: list[int], size: Size) -> tuple[Tensor, ...]:
        """The tensors of a batch of this size."""
        if self._source_rows is None:
            src, src_mask = _source_rows(sources).batch(range(len(sources)), size.rows, size.source)
        else:
            src, src_mask = self._source_rows.batch(indices, size.rows, size.source)
        tgt_out, tgt_mask = self._target_rows.batch(indices, size.rows, size.target)
        begin = tgt_out.new_full((size.rows, 1), Tokenizer.bos_id)
        tgt_in = torch.cat((begin, tgt_out[:, :-1]), dim=1).masked_fill_(~tgt_mask, Tokenizer.pad_id)
        return src, src_mask, tgt_in, tgt_out, tgt_mask

    def _sources(self, indices: list[int], epoch: int) -> list[Sequence[int]]:
        sources = [self.sources[i] for i in indices]
        if not self.config.data.casual_sources:
            return sources
        rng = random.Random(f"{self.config.seed} {epoch} {indices[0]}")
        texts = {}
        for row, i in enumerate(indices):
            if rng.random() < self.config.data.casual_sources:
                texts[row] = as_people_type(self.pairs[i][0], rng)
        for row, ids in zip(texts, self.tokenizer.encode_ids(list(texts.values())), strict=True):
            if len(ids) <= self.config.data.max_pieces:
                sources[row] = ids
        return sources


def _source_rows(sources: Sequence[Sequence[int]]) -> TokenRows:
    return TokenRows.from_rows(sources, filler=(Tokenizer.pad_id,), pad_id=Tokenizer.pad_id)

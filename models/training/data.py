"""The training and validation pairs of a run, and the batches made of them."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from models.batch import Batch
from models.corpus import DataError, Pair, read_pairs, reversal_pairs
from models.tokenization import Tokenizer
from models.training.config import DataConfig, TrainingConfig


@dataclass(frozen=True)
class Corpus:
    """Training and validation pairs, source first."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]


def load_corpus(config: DataConfig, folder: Path, seed: int, recipe_folder: Path = Path()) -> Corpus:
    """The pairs of a task: files from `folder`, a supplement from `recipe_folder`. Raises DataError."""
    if config.task == "reversal":
        pairs = reversal_pairs(config.train_size + config.valid_size, random.Random(seed))
        return Corpus(pairs[config.valid_size :], pairs[: config.valid_size])
    train, valid = (read_pairs(folder / name, config.swap) for name in (config.train, config.valid))
    if config.supplement:
        train += read_pairs(recipe_folder / config.supplement, config.swap) * config.supplement_repeats
    return Corpus(train, valid)


def as_people_type(text: str, rng: random.Random) -> str:
    """The text without its capitals, its final mark or its accents, as in a chat: each at random."""
    if rng.random() < 0.7:
        text = text[:1].lower() + text[1:] if rng.random() < 0.5 else text.lower()
    if rng.random() < 0.5:
        text = text.rstrip(".!?").lstrip("¿¡") or text
    if rng.random() < 0.3:
        # Spanish ñ is a letter of its own, and people do type it.
        kept = text.replace("ñ", "\0").replace("Ñ", "\1")
        bare = "".join(c for c in unicodedata.normalize("NFD", kept) if not unicodedata.combining(c))
        text = bare.replace("\0", "ñ").replace("\1", "Ñ")
    return text


def bucketed(
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    batch_tokens: int,
    rng: random.Random | None,
) -> Iterator[list[int]]:
    """Indices of each batch: pairs of like length, at most `batch_tokens` padded tokens on either side.

    A pair that is longer than that is a batch of its own. Without `rng` the order is that of the lengths.
    """
    order = list(range(len(sources)))
    if rng is not None:
        rng.shuffle(order)
    order.sort(key=lambda i: (len(targets[i]), len(sources[i])))
    batches: list[list[int]] = []
    longest = 0
    for i in order:
        longest = max(longest, len(targets[i]), len(sources[i]))
        if not batches or longest * (len(batches[-1]) + 1) > batch_tokens:
            batches.append([])
            longest = max(len(targets[i]), len(sources[i]))
        batches[-1].append(i)
    if rng is not None:
        rng.shuffle(batches)
    return iter(batches)


def fitting(
    tokenizer: Tokenizer, pairs: Sequence[Pair], max_pieces: int
) -> tuple[list[list[int]], list[list[int]], list[Pair]]:
    """Source ids, target ids and texts of the pairs with at most `max_pieces` tokens. Raises DataError."""
    sources = tokenizer.encode_ids([source for source, _ in pairs])
    targets = tokenizer.encode_ids([target for _, target in pairs])
    kept = [i for i in range(len(pairs)) if max(len(sources[i]), len(targets[i])) <= max_pieces]
    if not kept:
        raise DataError(f"no pair has at most {max_pieces} tokens: raise data.max_pieces")
    return [sources[i] for i in kept], [targets[i] for i in kept], [pairs[i] for i in kept]


class TrainingData:
    """The training pairs as ids, in a new order each epoch that depends on seed and epoch alone."""

    def __init__(self, config: TrainingConfig, corpus: Corpus, tokenizer: Tokenizer) -> None:
        self.config, self.tokenizer = config, tokenizer
        self.sources, self.targets, self.pairs = fitting(tokenizer, corpus.train, config.data.max_pieces)

    def epoch(self, epoch: int) -> Iterator[list[int]]:
        """Indices of each batch."""
        rng = random.Random(f"{self.config.seed} {epoch}")
        return bucketed(self.sources, self.targets, self.config.batch_tokens, rng)

    def batch(self, indices: list[int], epoch: int) -> Batch:
        """The pairs of one batch; which of their sources are seen as people type changes by epoch."""
        rng = random.Random(f"{self.config.seed} {epoch} {indices[0]}")
        sources = [self._source(i, rng) for i in indices]
        targets = [self.targets[i] for i in indices]
        return Batch.from_ids(sources, targets, bos_id=Tokenizer.bos_id, pad_id=Tokenizer.pad_id)

    def _source(self, index: int, rng: random.Random) -> list[int]:
        if rng.random() >= self.config.data.casual_sources:
            return self.sources[index]
        casual = self.tokenizer.encode_ids([as_people_type(self.pairs[index][0], rng)])[0]
        return casual if len(casual) <= self.config.data.max_pieces else self.sources[index]

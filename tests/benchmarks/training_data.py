"""Pairs of invented words with the frequencies and lengths of short sentences, since no corpus ships."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate
from string import ascii_lowercase

from models.corpus.pairs import Split
from models.tokenization.plain_text import SPECIAL_TOKENS
from models.tokenization.tokenizer import Tokenizer

MEDIAN_LOG, DEVIATION_LOG = 1.93, 0.42  # log-normal distribution of source lengths; the mean is 7.5 words
LONGEST = 30


def invented(vocab_size: int, size: int, longest: int = LONGEST) -> tuple[Split, Tokenizer]:
    """Return `size` pairs of at most `longest` words, and a tokenizer of exactly `vocab_size` tokens."""
    rng = random.Random(0)
    words = [_word(number) for number in range(vocab_size - len(SPECIAL_TOKENS))]
    frequencies = list(accumulate(1 / (rank + 1) for rank in range(len(words))))  # Zipf 1935

    def sentence(length: float) -> str:
        return " ".join(rng.choices(words, cum_weights=frequencies, k=max(1, round(length))))

    pairs = []
    while len(pairs) < size:
        source = rng.lognormvariate(MEDIAN_LOG, DEVIATION_LOG)
        target = source * rng.lognormvariate(0, 0.15)
        if max(round(source), round(target)) <= longest:
            pairs.append((sentence(source), sentence(target)))
    tokenizer = Tokenizer.train(words, "word", vocab_size)
    assert tokenizer.vocab_size == vocab_size
    return Split(tuple(pairs), ()), tokenizer


def spread(batches: Sequence[list[int]], lengths: Sequence[int], count: int) -> list[list[int]]:
    """Return `count` representative batches, evenly spaced in the order of their longest target."""
    ordered = sorted(batches, key=lambda batch: max(lengths[i] for i in batch))
    return [ordered[(2 * i + 1) * len(ordered) // (2 * count)] for i in range(count)]


def _word(number: int) -> str:
    letters = [ascii_lowercase[number // 26**digit % 26] for digit in range(3)]
    return "".join(letters)

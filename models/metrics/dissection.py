"""The parts of BLEU (Papineni et al. 2002): every n-gram, its clipping, every factor of the score.

sacrebleu makes the tokens. The scores are computed here, and tests compare them with sacrebleu's. Imports no
torch.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.errors import not_one_of
from models.metrics.sentence import tokens_of

MAX_ORDER = 4
SMOOTHINGS = ("exp", "floor", "add-k", "none")  # Chen and Cherry 2014, methods 3, 1 and 2
BLEU_TOKENIZERS = ("13a", "intl", "char", "zh", "none")
FLOOR_COUNT, ADDED_COUNT = 0.1, 1.0  # sacrebleu's defaults of "floor" and "add-k"


@dataclass(frozen=True)
class NGram:
    """n tokens in a row of the output."""

    tokens: tuple[str, ...]
    starts: tuple[int, ...]  # indices in the output
    clipped: int  # the occurrences that count: at most as many as in the reference that has most

    @property
    def count(self) -> int:
        """The number of occurrences in the output."""
        return len(self.starts)


@dataclass(frozen=True)
class BleuOrder:
    """All n-grams of one length."""

    n: int
    ngrams: tuple[NGram, ...]  # n-grams in the order of the output; empty for a corpus
    matched: int  # sum of the clipped counts
    total: int
    precision: float  # per cent, unsmoothed; 0 without n-grams
    smoothed: float  # per cent, as it enters the score


@dataclass(frozen=True)
class BleuDissection:
    """BLEU of one output, or of a corpus."""

    tokens: tuple[str, ...]  # tokens of the output; empty for a corpus
    references: tuple[tuple[str, ...], ...]
    orders: tuple[BleuOrder, ...]
    length: int  # tokens of the output
    reference_length: int  # tokens of the reference that is nearest in length, the shorter of two
    brevity_penalty: float
    score: float  # 0 to 100
    smoothing: str


def dissect(
    output: str,
    references: Sequence[str],
    *,
    tokenizer: str = "13a",
    smoothing: str = "exp",
    orders: int = MAX_ORDER,
    effective_order: bool = False,
) -> BleuDissection:
    """Take the BLEU of one output apart.

    orders: n-grams of 1 to this number of tokens count. With `effective_order` the score is the mean over the
    orders of which the output has n-grams.

    Raises ValueError for another tokenizer or smoothing, for orders outside 1 to 4, and if there is no
    reference.
    """
    _check(references, tokenizer, smoothing, orders)
    tokens = tuple(tokens_of(output, tokenizer))
    reference_tokens = [tuple(tokens_of(text, tokenizer)) for text in references]
    ngrams = [_ngrams(tokens, reference_tokens, n) for n in range(1, orders + 1)]
    totals = [max(0, len(tokens) - n + 1) for n in range(1, orders + 1)]
    hits = [sum(ngram.clipped for ngram in order) for order in ngrams]
    nearest = min(map(len, reference_tokens), key=lambda length: (abs(length - len(tokens)), length))
    lengths = len(tokens), nearest
    scored = _score(ngrams, hits, totals, lengths, smoothing, effective_order=effective_order)
    return replace(scored, tokens=tokens, references=tuple(reference_tokens))


def dissect_corpus(parts: Sequence[BleuDissection]) -> BleuDissection:
    """The BLEU of a corpus from its outputs, which have the same settings: counts and lengths are summed.

    Raises ValueError if there are none.
    """
    if not parts:
        raise ValueError("a corpus needs at least one output")
    count = len(parts[0].orders)
    totals = [sum(part.orders[index].total for part in parts) for index in range(count)]
    matched = [sum(part.orders[index].matched for part in parts) for index in range(count)]
    lengths = (sum(part.length for part in parts), sum(part.reference_length for part in parts))
    return _score([()] * count, matched, totals, lengths, parts[0].smoothing)


def brevity_penalty(length: int, reference_length: int) -> float:
    """exp(1 - r / c) for an output of c tokens that is shorter than its reference of r, else 1."""
    if length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / length) if length else 0.0


def _score(
    ngrams: Sequence[tuple[NGram, ...]],
    hits: Sequence[int],
    totals: Sequence[int],
    lengths: tuple[int, int],
    smoothing: str,
    *,
    effective_order: bool = False,
) -> BleuDissection:
    """BLEU from the n-grams, matches and totals of each order, and the lengths of output and reference."""
    smoothed, effective = _smooth(hits, totals, smoothing)
    averaged = smoothed[: effective if effective_order else len(smoothed)]
    penalty = brevity_penalty(*lengths)
    is_scored = any(hits) and all(averaged)
    mean = math.fsum(map(math.log, averaged)) / len(averaged) if is_scored else 0.0
    parts = zip(ngrams, hits, totals, smoothed, strict=True)
    return BleuDissection(
        tokens=(),
        references=(),
        orders=tuple(
            BleuOrder(n, of_order, hit, total, 100 * hit / total if total else 0.0, value)
            for n, (of_order, hit, total, value) in enumerate(parts, 1)
        ),
        length=lengths[0],
        reference_length=lengths[1],
        brevity_penalty=penalty,
        score=penalty * math.exp(mean) if is_scored else 0.0,
        smoothing=smoothing,
    )


def _smooth(hits: Sequence[int], totals: Sequence[int], smoothing: str) -> tuple[list[float], int]:
    """Precisions in per cent as they enter the score, and how many orders have n-grams.

    Without any match nothing is smoothed, as in sacrebleu.
    """
    values, effective, halved = [0.0] * len(hits), len(hits), 1.0
    if not any(hits):
        return values, effective
    for index, (hit, total) in enumerate(zip(hits, totals, strict=True)):
        added = ADDED_COUNT if smoothing == "add-k" and index else 0.0
        if not total + added:
            break
        effective = index + 1
        if hit + added:
            values[index] = 100 * (hit + added) / (total + added)
        elif smoothing == "exp":
            halved *= 2
            values[index] = 100 / (halved * total)
        elif smoothing == "floor":
            values[index] = 100 * FLOOR_COUNT / total
    return values, effective


def _ngrams(tokens: tuple[str, ...], references: Sequence[tuple[str, ...]], n: int) -> tuple[NGram, ...]:
    starts: dict[tuple[str, ...], list[int]] = {}
    for start in range(len(tokens) - n + 1):
        starts.setdefault(tokens[start : start + n], []).append(start)
    max_counts: Counter[tuple[str, ...]] = Counter()
    for reference in references:
        max_counts |= Counter(reference[start : start + n] for start in range(len(reference) - n + 1))
    return tuple(
        NGram(key, tuple(indices), min(len(indices), max_counts[key])) for key, indices in starts.items()
    )


def _check(references: Sequence[str], tokenizer: str, smoothing: str, orders: int) -> None:
    if not references:
        raise ValueError("BLEU needs at least one reference")
    if tokenizer not in BLEU_TOKENIZERS:
        raise ValueError(not_one_of("tokenizer", BLEU_TOKENIZERS, tokenizer))
    if smoothing not in SMOOTHINGS:
        raise ValueError(not_one_of("smoothing", SMOOTHINGS, smoothing))
    if not 1 <= orders <= MAX_ORDER:
        raise ValueError(f"orders must be between 1 and {MAX_ORDER}; got {orders}")


def signature(tokenizer: str, smoothing: str, references: int) -> str:
    """sacrebleu's signature for one output with a number of references."""
    from sacrebleu.metrics.bleu import BLEU

    bleu = BLEU(tokenize=tokenizer, smooth_method=smoothing)
    bleu.corpus_score(["a"], [["a"]] * references)  # sacrebleu has a signature only after a score
    return str(bleu.get_signature())

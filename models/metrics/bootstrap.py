"""Corpus scores with an interval: of BLEU, chrF and TER by the bootstrap, of exact match by Wilson's formula.

The bootstrap draws the statistics of sentences again and again with replacement (Efron 1979; for BLEU Koehn
2004, section 3). Where all sentences are right it has nothing to draw but right ones, so its interval would
be a single point; Wilson's (1927) is not. Knows no torch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from models.budget import rest
from models.metrics.corpus import check_as_many, streams_of
from models.metrics.sentence import TOKENIZERS
from models.metrics.vectorised import Scores, Sums, bleu_scores, chrf_scores

RESAMPLES = 2000
SEED = 12345
INTERVAL = 95  # per cent
NORMAL = 1.959964  # standard deviations on either side of the mean that hold as much of a normal distribution
MOST_DRAWS = 4_000_000  # counts held at once, of 8 bytes


@dataclass(frozen=True)
class Sentences:
    """Statistics of outputs, (N, S), and what makes a corpus score, 0 to 100, of their sum."""

    statistics: Sums
    score: Callable[[Sums], float]
    signature: str = ""
    lower_is_better: bool = False
    at_once: Callable[[Sums], Scores] | None = (
        None  # the scores of many sums, (B, S) -> (B,), if that is faster
    )

    def of(self, chosen: Sequence[int]) -> Sentences:
        """Those of some outputs."""
        return replace(self, statistics=self.statistics[list(chosen)])

    @property
    def resamples(self) -> int:
        """How many test sets `interval` draws; 0 where it has a formula."""
        return RESAMPLES

    def value(self) -> float:
        """The score of all of them."""
        return self.score(self.statistics.sum(axis=0))

    def interval(self, seed: int = SEED) -> tuple[float, float]:
        """Percentiles 2.5 and 97.5 of the scores of as many outputs, drawn with replacement."""
        return percentiles(self.resampled(seed))

    def resampled(self, seed: int = SEED) -> Scores:
        """(RESAMPLES,) scores of as many outputs, drawn with replacement.

        Of as many outputs of another system and the same seed the same ones are drawn.
        """
        return np.concatenate([self.scores(block) for block in self._resampled(seed)])

    def scores(self, sums: Sums) -> Scores:
        """(B,) of B sums, (B, S)."""
        return self.at_once(sums) if self.at_once else np.array([self.score(row) for row in sums])

    def lost(self, other: Sentences, seed: int = SEED) -> tuple[float, float, float]:
        """By how much another system's score for the same sources is lower, and the interval of that.

        Both are drawn the same sources (Koehn 2004, section 4). Raises ValueError unless they have as many.
        """
        check_paired(self, other)
        low, high = percentiles(self.resampled(seed) - other.resampled(seed))
        return self.value() - other.value(), low, high

    def _resampled(self, seed: int) -> Iterator[Sums]:
        """The sums of every resample, in blocks: (B, S), so that memory does not grow with the outputs."""
        rng, count = np.random.default_rng(seed), len(self.statistics)
        block = max(1, MOST_DRAWS // count)
        for start in range(0, RESAMPLES, block):
            # How often each output is drawn is multinomial, so a product of matrices sums a whole block.
            size = min(block, RESAMPLES - start)
            yield rng.multinomial(count, np.full(count, 1 / count), size=size) @ self.statistics


@dataclass(frozen=True)
class Matches(Sentences):
    """Outputs that are right, (1, 1), or wrong, (0, 1); the score is the share of the right, 0 to 100."""

    @property
    def resamples(self) -> int:
        """None."""
        return 0

    def interval(self, seed: int = SEED) -> tuple[float, float]:
        """Wilson's, which needs no chance."""
        low, high = wilson_interval(self.value() / 100, len(self.statistics))
        return 100 * low, 100 * high


def check_paired(ours: Sentences, theirs: Sentences) -> None:
    """Raises ValueError unless two systems have as many outputs."""
    if len(ours.statistics) != len(theirs.statistics):
        counts = f"{len(ours.statistics)} and {len(theirs.statistics)}"
        raise ValueError(f"two systems must have as many outputs to be compared; got {counts}")


def percentiles(values: Scores) -> tuple[float, float]:
    """Between which the middle 95 % of some values lie."""
    tail = (100 - INTERVAL) / 2
    low, high = np.percentile(values, [tail, 100 - tail])
    return float(low), float(high)


def wilson_interval(share: float, count: int) -> tuple[float, float]:
    """Where the true share lies, from 0 to 1, if it is `share` of `count` that were drawn.

    Wilson 1927, "Probable inference, the law of succession, and statistical inference".
    """
    spread = NORMAL**2 / count
    middle = (share + spread / 2) / (1 + spread)
    half = math.sqrt(spread * share * (1 - share) + spread**2 / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def share(sums: Sums) -> float:
    """Of sums (2,): the first in per cent of the second."""
    return float(100 * sums[0] / sums[1])


def exact_matches(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> Matches:
    """Per cent of outputs that are one of their references. Raises ValueError as `bleu_sentences`."""
    check_as_many(outputs, references)
    hits = [[output in choices, 1] for output, choices in zip(outputs, references, strict=True)]
    return Matches(np.array(hits, dtype=np.int64), share)


def bleu_sentences(
    outputs: Sequence[str], references: Sequence[Sequence[str]], language: str = ""
) -> Sentences:
    """sacrebleu's statistics of every output; `language` as `models.metrics.corpus.measure` takes it.

    Raises ValueError if the counts differ, there is no output, or one has no reference.
    """
    bleu = BLEU(tokenize=TOKENIZERS.get(language))
    return replace(_sentences(bleu, outputs, references), at_once=bleu_scores)


def chrf_sentences(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> Sentences:
    """sacrebleu's statistics of every output for chrF. Raises ValueError as `bleu_sentences`."""
    return replace(_sentences(CHRF(), outputs, references), at_once=chrf_scores)


def ter_sentences(
    outputs: Sequence[str], references: Sequence[Sequence[str]], language: str = ""
) -> Sentences:
    """sacrebleu's statistics of every output for TER (Snover et al. 2006), of which less is better.

    Languages that BLEU counts in characters are here too. Raises ValueError as `bleu_sentences`.
    """
    by_characters = language in TOKENIZERS
    ter = TER(normalized=by_characters, asian_support=by_characters)
    return replace(_sentences(ter, outputs, references), lower_is_better=True)


def _one_by_one(texts: Sequence[str]) -> Iterator[str]:
    """Others go on before each text: TER of a long one takes a tenth of a second."""
    for text in texts:
        rest()
        yield text


def _sentences(metric: Any, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> Sentences:
    check_as_many(outputs, references)
    statistics = np.array(metric._extract_corpus_statistics(_one_by_one(outputs), streams_of(references)))

    def score(sums: Sums) -> float:
        return float(metric._compute_score_from_stats(sums.tolist()).score)

    return Sentences(statistics, score, str(metric.get_signature()))

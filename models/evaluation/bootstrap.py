"""Corpus scores with an interval: the statistics of sentences, drawn again and again with replacement.

Efron 1979; for BLEU Koehn 2004, section 3. Knows no torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU

from models.decoding.utility import TOKENIZERS

RESAMPLES = 2000
SEED = 12345
INTERVAL = 95  # per cent

Sums = NDArray[np.int64]


@dataclass(frozen=True)
class Sentences:
    """Statistics of outputs, (N, S) integers, and what makes a corpus score, 0 to 100, of their sum."""

    statistics: NDArray[np.int64]
    score: Callable[[Sums], float]
    signature: str = ""

    def of(self, chosen: Sequence[int]) -> Sentences:
        """Those of some outputs."""
        return Sentences(self.statistics[list(chosen)], self.score, self.signature)

    def value(self) -> float:
        """The score of all of them."""
        return self.score(self.statistics.sum(axis=0))

    def interval(self, resamples: int = RESAMPLES, seed: int = SEED) -> tuple[float, float]:
        """Percentiles 2.5 and 97.5 of the scores of as many outputs, drawn with replacement."""
        count = len(self.statistics)
        # How often each output is drawn is multinomial, so a product of matrices sums all resamples at once.
        times = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=resamples)
        scores = [self.score(sums) for sums in times @ self.statistics]
        tail = (100 - INTERVAL) / 2
        low, high = np.percentile(scores, [tail, 100 - tail])
        return float(low), float(high)


def exact_matches(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> Sentences:
    """Per cent of outputs that are one of their references. Raises ValueError as `bleu_sentences`."""
    _check(outputs, references)
    hits = [[output in choices, 1] for output, choices in zip(outputs, references, strict=True)]
    return Sentences(np.array(hits, dtype=np.int64), lambda sums: float(100 * sums[0] / sums[1]))


def bleu_sentences(
    outputs: Sequence[str], references: Sequence[Sequence[str]], language: str = ""
) -> Sentences:
    """sacrebleu's statistics of every output; `language` as `models.evaluation.metrics.measure` takes it.

    Raises ValueError if the counts differ, there is no output, or one has no reference.
    """
    _check(outputs, references)
    bleu: Any = BLEU(tokenize=TOKENIZERS.get(language))
    most = max(map(len, references))
    streams = [[choices[i] if i < len(choices) else None for choices in references] for i in range(most)]
    statistics = bleu._extract_corpus_statistics(outputs, streams)
    return Sentences(
        np.array(statistics, dtype=np.int64),
        lambda sums: float(bleu._compute_score_from_stats([int(number) for number in sums]).score),
        str(bleu.get_signature()),
    )


def _check(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    if len(outputs) != len(references) or not outputs:
        raise ValueError(f"outputs and references must be as many: got {len(outputs)} and {len(references)}")
    if not all(references):
        raise ValueError("every output needs at least one reference")

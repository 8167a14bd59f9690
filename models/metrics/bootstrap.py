"""Corpus scores with intervals: BLEU, chrF and TER by the bootstrap, exact match by Wilson's formula.

The bootstrap draws the statistics of sentences with replacement (Efron 1979; for BLEU Koehn 2004).
If all sentences are right, its interval for exact match is a single point; Wilson's (1927) is not. Imports no
torch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from models.budget import let_others_run
from models.metrics.sentence import TOKENIZERS

NUM_RESAMPLES = 2000
BOOTSTRAP_SEED = 12345
INTERVAL_PERCENT = 95
NORMAL_DEVIATIONS = 1.959964  # standard deviations on either side of the mean that hold 95 %
MAX_DRAWS = 4_000_000  # draws in memory at once, 8 bytes each
BLEU_ORDERS = 4
CHRF_BETA = 2  # recall counts twice as much as precision
Sums = NDArray[Any]
Scores = NDArray[np.float64]

# The next two formulas are sacrebleu's, with its default settings; tests hold both equal.


def bleu_scores(sums: Sums) -> Scores:
    """BLEU with exponential smoothing (Chen and Cherry 2014, method 3), 0 to 100. (B, 10) -> (B,).

    A row has tokens of outputs and references, then matches and totals of orders 1 to 4.
    """
    numbers = sums.astype(np.float64)
    length, reference_length = numbers[:, 0], numbers[:, 1]
    matches, totals = numbers[:, 2 : 2 + BLEU_ORDERS], numbers[:, 2 + BLEU_ORDERS :]
    zeros = (matches == 0) & (totals > 0)
    divisors = 2.0 ** np.cumsum(zeros, axis=1)  # an order without a match counts 1/2, the next one 1/4, ...
    with np.errstate(divide="ignore", invalid="ignore"):
        precisions = np.where(zeros, 1 / divisors, matches) / totals
        penalty = np.where(length < reference_length, np.exp(1 - reference_length / length), 1.0)
        scores = 100 * penalty * np.exp(np.log(precisions).mean(axis=1))
    # Without any match, or without n-grams of some order, nothing is smoothed.
    return np.where(matches.any(axis=1) & (totals > 0).all(axis=1), scores, 0.0)


def chrf_scores(sums: Sums) -> Scores:
    """chrF (Popovic 2015), 0 to 100: precision and recall are means over the orders that both have.

    (B, 3 * orders) -> (B,). A row has, for each order, n-grams of outputs, of references, and matches.
    """
    numbers = sums.astype(np.float64).reshape(len(sums), -1, 3)
    in_output, in_reference, matches = numbers[..., 0], numbers[..., 1], numbers[..., 2]
    in_both = (in_output > 0) & (in_reference > 0)
    orders = np.maximum(in_both.sum(axis=1), 1)
    precision, recall = (
        np.divide(matches, counts, out=np.zeros_like(matches), where=in_both).sum(axis=1) / orders
        for counts in (in_output, in_reference)
    )
    denominator = CHRF_BETA**2 * precision + recall
    numerator = (1 + CHRF_BETA**2) * precision * recall
    scores: Scores = 100 * np.divide(
        numerator, denominator, out=np.zeros_like(denominator), where=denominator > 0
    )
    return scores


@dataclass(frozen=True)
class SentenceStatistics:
    """Statistics of N outputs, (N, S), and the function that turns their sum (S,) into a corpus score."""

    statistics: Sums
    score: Callable[[Sums], float]  # (S,) -> the score, in the unit of its metric
    signature: str = ""
    lower_is_better: bool = False
    at_once: Callable[[Sums], Scores] | None = None  # (B, S) -> (B,): a faster `score` of many sums
    resamples: ClassVar[int] = NUM_RESAMPLES  # test sets that `interval` draws; 0 if it uses a formula

    def subset(self, indices: Sequence[int]) -> SentenceStatistics:
        """The statistics of some outputs."""
        return replace(self, statistics=self.statistics[list(indices)])

    def value(self) -> float:
        """The score of all outputs."""
        return self.score(self.statistics.sum(axis=0))

    def interval(self, seed: int = BOOTSTRAP_SEED) -> tuple[float, float]:
        """Percentiles 2.5 and 97.5 of the scores of N outputs, drawn with replacement from the N outputs."""
        return percentiles(self.resample(seed))

    def resample(self, seed: int = BOOTSTRAP_SEED) -> Scores:
        """Scores (NUM_RESAMPLES,) of N outputs, drawn with replacement.

        Systems with the same number of outputs get the same draws from the same seed.
        """
        return np.concatenate([self.scores(block) for block in self._resampled_sums(seed)])

    def scores(self, sums: Sums) -> Scores:
        """The scores (B,) of sums (B, S)."""
        return self.at_once(sums) if self.at_once else np.array([self.score(row) for row in sums])

    def _resampled_sums(self, seed: int) -> Iterator[Sums]:
        """The sums of every resample, in blocks (B, S), whose memory does not grow with the outputs."""
        rng, count = np.random.default_rng(seed), len(self.statistics)
        block = max(1, MAX_DRAWS // count)
        for start in range(0, NUM_RESAMPLES, block):
            # The counts of the drawn outputs are multinomial, so one matrix product sums a whole block.
            size = min(block, NUM_RESAMPLES - start)
            yield rng.multinomial(count, np.full(count, 1 / count), size=size) @ self.statistics


@dataclass(frozen=True)
class Matches(SentenceStatistics):
    """Outputs that are right, (1, 1), or wrong, (0, 1). The score is the percentage of right outputs."""

    resamples: ClassVar[int] = 0  # the interval has a formula

    def interval(self, seed: int = BOOTSTRAP_SEED) -> tuple[float, float]:
        """Wilson's interval."""
        low, high = wilson_interval(self.value() / 100, len(self.statistics))
        return 100 * low, 100 * high


def check_paired(system: SentenceStatistics, other_system: SentenceStatistics) -> None:
    """Raise ValueError unless both systems have the same number of outputs."""
    if len(system.statistics) != len(other_system.statistics):
        counts = f"{len(system.statistics)} and {len(other_system.statistics)}"
        raise ValueError(f"compared systems must have the same number of outputs; got {counts}")


def percentiles(values: Scores) -> tuple[float, float]:
    """The two values between which the middle 95 % lie."""
    tail = (100 - INTERVAL_PERCENT) / 2
    low, high = np.percentile(values, [tail, 100 - tail])
    return float(low), float(high)


def wilson_interval(share: float, count: int) -> tuple[float, float]:
    """The 95 % interval of the true share, 0 to 1, if the share of `count` draws is `share`.

    Wilson 1927, "Probable inference, the law of succession, and statistical inference".
    """
    spread = NORMAL_DEVIATIONS**2 / count
    middle = (share + spread / 2) / (1 + spread)
    half_width = math.sqrt(spread * share * (1 - share) + spread**2 / 4) / (1 + spread)
    return max(0.0, middle - half_width), min(1.0, middle + half_width)


def share(sums: Sums) -> float:
    """The first of two sums, in per cent of the second."""
    return float(100 * sums[0] / sums[1])


def exact_matches(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> Matches:
    """Whether each output is one of its references. Raises ValueError like `bleu_statistics`."""
    check_references(outputs, references)
    hits = [[output in choices, 1] for output, choices in zip(outputs, references, strict=True)]
    return Matches(np.array(hits, dtype=np.int64), share)


def bleu_statistics(
    outputs: Sequence[str], references: Sequence[Sequence[str]], language: str = ""
) -> SentenceStatistics:
    """sacrebleu's statistics of every output; `language` as `measure` takes it.

    Raises ValueError if the counts differ, there is no output, or one has no reference.
    """
    bleu = BLEU(tokenize=TOKENIZERS.get(language))
    return replace(_statistics(bleu, outputs, references), at_once=bleu_scores)


def chrf_statistics(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> SentenceStatistics:
    """sacrebleu's statistics of every output for chrF. Raises ValueError like `bleu_statistics`."""
    return replace(_statistics(CHRF(), outputs, references), at_once=chrf_scores)


def ter_statistics(
    outputs: Sequence[str], references: Sequence[Sequence[str]], language: str = ""
) -> SentenceStatistics:
    """sacrebleu's statistics of every output for TER (Snover et al. 2006); lower is better.

    Languages that BLEU splits into characters are split here too. Raises ValueError like `bleu_statistics`.
    """
    by_characters = language in TOKENIZERS
    ter = TER(normalized=by_characters, asian_support=by_characters)
    return replace(_statistics(ter, outputs, references), lower_is_better=True)


def _one_by_one(texts: Sequence[str]) -> Iterator[str]:
    """The texts, with a pause for other threads before each: TER of a long text takes a tenth of a second."""
    for text in texts:
        let_others_run()
        yield text


def _statistics(
    metric: Any, outputs: Sequence[str], references: Sequence[Sequence[str]]
) -> SentenceStatistics:
    check_references(outputs, references)
    statistics = np.array(metric._extract_corpus_statistics(_one_by_one(outputs), streams_of(references)))

    def score(sums: Sums) -> float:
        return float(metric._compute_score_from_stats(sums.tolist()).score)

    return SentenceStatistics(statistics, score, str(metric.get_signature()))


@dataclass(frozen=True)
class Metrics:
    """Scores of a list of outputs."""

    bleu: float  # Papineni et al. 2002, corpus level, 0 to 100
    chrf: float  # Popovic 2015, 0 to 100
    exact_match: float  # per cent of outputs equal to one of their references
    error_rate: float  # 100 - exact_match; for spelling to sound it is the word error rate
    bleu_signature: str
    chrf_signature: str


def measure(outputs: Sequence[str], references: Sequence[Sequence[str]], language: str = "") -> Metrics:
    """Score each output against one or more references of its own.

    `language` (BCP 47, of the outputs) chooses the tokenizer of BLEU. Raises ValueError if the counts differ
    or an output has no reference.
    """
    bleu, chrf = bleu_statistics(outputs, references, language), chrf_statistics(outputs, references)
    exact = exact_matches(outputs, references).value()
    return Metrics(bleu.value(), chrf.value(), exact, 100 - exact, bleu.signature, chrf.signature)


def check_references(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Raise ValueError unless there are outputs, each with references of its own."""
    if len(outputs) != len(references) or not outputs:
        counts = f"{len(outputs)} outputs and {len(references)} lists of references"
        raise ValueError(f"each of one or more outputs needs its references; got {counts}")
    if not all(references):
        raise ValueError("every output needs at least one reference")


def streams_of(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """One list for each reference index, as sacrebleu takes them; None if an output has fewer references."""
    max_references = max(len(choices) for choices in references)
    return [
        [choices[i] if i < len(choices) else None for choices in references] for i in range(max_references)
    ]

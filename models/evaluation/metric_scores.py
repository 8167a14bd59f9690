"""The scores of a system on a test set by each metric, with intervals and signatures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.evaluation.systems import SystemResult, output_statistics
from models.metrics.bootstrap import SentenceStatistics
from models.metrics.vectorised import Sums

PERPLEXITY = "perplexity"


@dataclass(frozen=True)
class MetricScore:
    """The score by one metric, with its 95 % interval over similar test sets."""

    name: str
    value: float
    low: float
    high: float
    signature: str = ""  # sacrebleu's
    lower_is_better: bool = False


def metric_scores(result: SystemResult) -> tuple[MetricScore, ...]:
    """BLEU, chrF, TER and exact match, and perplexity for a system that is run here."""
    return tuple(metric_score(name, of_metric) for name, of_metric in statistics_by_metric(result).items())


def metric_score(name: str, statistics: SentenceStatistics) -> MetricScore:
    """The score of some outputs with its interval."""
    low, high = statistics.interval()
    return MetricScore(name, statistics.value(), low, high, statistics.signature, statistics.lower_is_better)


def statistics_by_metric(result: SystemResult) -> dict[str, SentenceStatistics]:
    """The statistics of each metric that the system has, by the metric's name."""
    by_name = output_statistics(result)
    if result.reference_scores:
        by_name[PERPLEXITY] = perplexity_statistics(result)
    return by_name


def perplexity_statistics(result: SystemResult) -> SentenceStatistics:
    """Nats and tokens of the references of N segments, end tokens included."""
    sums = [[0.0, 0.0] for _ in result.segments.all]
    for owner, text in zip(_owners(result), result.reference_scores, strict=True):
        sums[owner][0] -= text.log_prob
        sums[owner][1] += len(text.log_probs)
    return SentenceStatistics(np.array(sums), _perplexity, lower_is_better=True)


def _owners(result: SystemResult) -> Iterator[int]:
    for index, segment in enumerate(result.segments.all):
        yield from (index for _ in segment.references)


def _perplexity(sums: Sums) -> float:
    return math.exp(min(float(sums[0]) / float(sums[1]), 700.0))

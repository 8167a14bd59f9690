"""The metrics of a system on a test set, each with its interval and signature."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.evaluation.systems import SystemResult, metrics
from models.metrics.bootstrap import Sentences
from models.metrics.vectorised import Sums

PERPLEXITY = "perplexity"


@dataclass(frozen=True)
class MetricScore:
    """A score with its 95 % interval over similar test sets."""

    name: str
    value: float
    low: float
    high: float
    signature: str = ""  # sacrebleu's
    lower_is_better: bool = False


def figures(result: SystemResult) -> tuple[MetricScore, ...]:
    """BLEU, chrF, TER and exact match, and perplexity for a system that is run here."""
    return tuple(figure(name, sentences) for name, sentences in statistics(result).items())


def figure(name: str, sentences: Sentences) -> MetricScore:
    """The score of some sentences with its interval."""
    low, high = sentences.interval()
    return MetricScore(name, sentences.value(), low, high, sentences.signature, sentences.lower_is_better)


def statistics(result: SystemResult) -> dict[str, Sentences]:
    """The statistics behind the figures, by the figures' names."""
    by_name = metrics(result)
    if result.reference_scores:
        by_name[PERPLEXITY] = perplexity_sentences(result)
    return by_name


def perplexity_sentences(result: SystemResult) -> Sentences:
    """Nats and tokens of the references of N segments, end tokens included."""
    sums = [[0.0, 0.0] for _ in result.segments.all]
    for owner, text in zip(_owners(result), result.reference_scores, strict=True):
        sums[owner][0] -= text.log_prob
        sums[owner][1] += len(text.log_probs)
    return Sentences(np.array(sums), _perplexity, lower_is_better=True)


def _owners(result: SystemResult) -> Iterator[int]:
    for index, segment in enumerate(result.segments.all):
        yield from (index for _ in segment.references)


def _perplexity(sums: Sums) -> float:
    return math.exp(min(float(sums[0]) / float(sums[1]), 700.0))

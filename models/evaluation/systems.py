"""Systems that translate a test set, checkpoints or columns of outputs, and their scores by each metric."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from models.decoding.options import DecodingOptions
from models.decoding.search.strategy import LengthNormalizer
from models.evaluation.segments import Segments
from models.evaluation.text_scores import TextScores
from models.metrics.bootstrap import (
    Matches,
    SentenceStatistics,
    Sums,
    bleu_statistics,
    chrf_statistics,
    exact_matches,
    ter_statistics,
)
from models.registry.checkpoint import Checkpoint

PERPLEXITY = "perplexity"


@dataclass(frozen=True)
class System:
    """A system that is run here."""

    name: str
    checkpoint: Checkpoint
    options: DecodingOptions

    @property
    def language(self) -> str:
        """The language of its outputs (BCP 47)."""
        return self.checkpoint.config.target_language

    @property
    def normalizer(self) -> LengthNormalizer:
        """The length normaliser by which its search ranks finished hypotheses."""
        return LengthNormalizer(self.options.normalizer, self.options.length_penalty)


@dataclass(frozen=True)
class OutputScores:
    """The scores that a system gives its output for one segment, and the reference."""

    log_prob: float  # the log-probability of the output, in nats
    score: float  # `log_prob`, length-normalised
    tokens: int  # tokens of the output, the end token included
    ended: bool  # False: cut off at the length limit
    unknown: tuple[str, ...]  # parts of the source that the vocabulary lacks
    reference_score: float  # the score of the best reference, by the same normaliser
    reference_log_prob: float
    reference_tokens: int


@dataclass(frozen=True)
class SystemResult:
    """One system on N segments."""

    name: str
    outputs: tuple[str, ...]  # N
    segments: Segments
    language: str
    system: System | None = None  # None: outputs made elsewhere
    output_scores: tuple[OutputScores, ...] = ()  # N, of a system that is run here
    reference_scores: tuple[TextScores, ...] = ()  # one for each reference, in order
    seconds: float = 0  # seconds of decoding

    @cached_property
    def bleu(self) -> SentenceStatistics:
        """Statistics of N outputs."""
        return bleu_statistics(self.outputs, self.segments.references, self.language)

    @cached_property
    def chrf(self) -> SentenceStatistics:
        """Statistics of N outputs."""
        return chrf_statistics(self.outputs, self.segments.references)

    @cached_property
    def ter(self) -> SentenceStatistics:
        """Statistics of N outputs."""
        return ter_statistics(self.outputs, self.segments.references, self.language)

    @cached_property
    def exact(self) -> Matches:
        """Which of N outputs are one of their references."""
        return exact_matches(self.outputs, self.segments.references)

    @cached_property
    def sentence_chrf(self) -> tuple[float, ...]:
        """N scores, 0 to 100. Sentences are sorted by chrF, since sentence BLEU is 0 for most short ones."""
        return tuple(self.chrf.score(row) for row in self.chrf.statistics)

    @property
    def statistics(self) -> dict[str, SentenceStatistics]:
        """The statistics of each metric that the system has, by name, in the order of a table."""
        by_name = {"BLEU": self.bleu, "chrF": self.chrf, "TER": self.ter, "exact match": self.exact}
        if self.reference_scores:
            by_name[PERPLEXITY] = perplexity_statistics(self)
        return by_name


@dataclass(frozen=True)
class MetricScore:
    """The score by one metric, with its 95 % interval over similar test sets."""

    name: str
    value: float
    low: float
    high: float
    signature: str = ""  # sacrebleu's
    lower_is_better: bool = False


def metric_score(name: str, statistics: SentenceStatistics) -> MetricScore:
    """The score of some outputs with its interval."""
    low, high = statistics.interval()
    return MetricScore(name, statistics.value(), low, high, statistics.signature, statistics.lower_is_better)


def perplexity_statistics(result: SystemResult) -> SentenceStatistics:
    """Nats and tokens of the references of N segments, end tokens included."""
    scores = iter(result.reference_scores)
    by_segment = [list(islice(scores, len(segment.references))) for segment in result.segments.all]
    sums = [
        (-sum(text.log_prob for text in texts), sum(len(text.log_probs) for text in texts))
        for texts in by_segment
    ]
    return SentenceStatistics(np.array(sums), _perplexity, lower_is_better=True)


def _perplexity(sums: Sums) -> float:
    return math.exp(min(float(sums[0]) / float(sums[1]), 700.0))

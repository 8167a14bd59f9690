"""Systems that translate a test set: a checkpoint with a way to decode, or outputs made elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from models.decoding.options import DecodingOptions
from models.decoding.search.length_normalizer import LengthNormalizer
from models.evaluation.segments import Segments
from models.evaluation.text_scores import TextScores
from models.metrics.bootstrap import (
    Matches,
    SentenceStatistics,
    bleu_statistics,
    chrf_statistics,
    exact_matches,
    ter_statistics,
)
from models.registry.checkpoint import Checkpoint


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


def output_statistics(result: SystemResult) -> dict[str, SentenceStatistics]:
    """The statistics of the outputs by metric, in the order of a table."""
    return {"BLEU": result.bleu, "chrF": result.chrf, "TER": result.ter, "exact match": result.exact}

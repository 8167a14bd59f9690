"""Minimum Bayes risk: the sample that the others agree with most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from models.decoding.description import Description, Family, StrategyPreset
from models.decoding.strategies import register
from models.decoding.strategies.sampling import Sampling
from models.decoding.trace import Hypothesis, Utilities
from models.metrics.sentence import expected_utilities, signature, utility_matrix


@register
@dataclass(frozen=True)
class MinimumBayesRisk(Sampling):
    """Choose the sample with the highest expected utility; the samples estimate the model's distribution.

    Kumar and Byrne 2004; with sampled evidence Eikema and Aziz 2020. Utility is the
    sentence-level `chrf` or `bleu` of sacrebleu. The search draws the samples, which are ranked at its end.
    """

    num_samples: int = 16
    utility: str = "chrf"
    language: str = ""  # BCP 47, of the outputs: how BLEU cuts them into words

    name: ClassVar[str] = "mbr"
    description: ClassVar[Description] = Description(
        label="Minimum Bayes risk",
        sentence="Draws samples and takes the one that is most like all the others.",
        family=Family.DRAW,
        short="Minimum Bayes risk",
        details=("{num_samples} by {utility}", "temperature", "top_k", "top_p", "min_p", "seed"),
        settings=("num_samples", "temperature", "top_k", "top_p", "min_p", "utility", "seed"),
        main=("num_samples", "temperature", "utility", "seed"),
        presets=(StrategyPreset({"num_samples": 16}, position=7, ticked=True),),
        position=70,
        slowness=1,
        ranking="Ranked by expected utility: the sample that the other samples agree with most comes first.",
    )

    def rerank(self, hypotheses: Sequence[Hypothesis]) -> tuple[tuple[Hypothesis, ...], Utilities | None]:
        """Sort the hypotheses by expected utility."""
        if not hypotheses:
            return (), None
        texts = [hypothesis.text for hypothesis in hypotheses]
        matrix = utility_matrix(texts, self.utility, self.language)
        expected = expected_utilities(matrix)
        ranking = sorted(range(len(hypotheses)), key=lambda i: -expected[i])
        ranked = tuple(replace(hypotheses[i], utility=expected[i]) for i in ranking)
        sorted_matrix = tuple(tuple(matrix[i][j] for j in ranking) for i in ranking)
        return ranked, Utilities(self.utility, signature(self.utility, self.language), sorted_matrix)

    def best_text(self, texts: Iterable[str]) -> str:
        samples = list(texts)
        if not samples:
            return ""
        expected = expected_utilities(utility_matrix(samples, self.utility, self.language))
        return samples[max(range(len(samples)), key=expected.__getitem__)]

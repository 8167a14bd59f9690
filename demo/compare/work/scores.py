"""BLEU and chrF of the texts of a comparison, as the page shows them."""

from __future__ import annotations

from collections.abc import Mapping

MetricScores = tuple[Mapping[str, float], str]  # the scores of texts by a metric, and its signature
Scores = tuple[dict[str, float], dict[str, float], list[str]]  # BLEU and chrF by text, and their signatures


def scores_of(texts: list[str], reference: str) -> Scores:
    """BLEU and chrF by text, and their signatures; all empty without a reference."""
    if not reference or not texts:
        return {}, {}, []
    from models.metrics.sentence import sentence_utility, signature

    bleu, chrf = (
        ({text: sentence_utility(text, reference, metric) for text in texts}, signature(metric))
        for metric in ("bleu", "chrf")
    )
    return rounded_scores(bleu, chrf)


def rounded_scores(bleu: MetricScores, chrf: MetricScores) -> Scores:
    """The scores as the page shows them, and the signatures with the names of their metrics."""
    rounded_bleu, rounded_chrf = (
        {text: round(value, 2) for text, value in values.items()} for values, _ in (bleu, chrf)
    )
    return rounded_bleu, rounded_chrf, [f"BLEU {bleu[1]}", f"chrF {chrf[1]}"]

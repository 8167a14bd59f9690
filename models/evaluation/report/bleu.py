"""The factors of a corpus BLEU, beside the mean of its sentences."""

from __future__ import annotations

from statistics import mean

from models.evaluation.report.evaluation_report import BleuParts, NGramPrecision
from models.evaluation.systems import SystemResult
from models.metrics.dissection import dissect, dissect_corpus
from models.metrics.sentence import TOKENIZERS


def bleu_parts(result: SystemResult) -> BleuParts:
    """The parts of a result's corpus BLEU, which is not the mean of its sentences' BLEU."""
    tokenizer = TOKENIZERS.get(result.language, "13a")
    pairs = list(zip(result.outputs, result.segments.references, strict=True))
    corpus = dissect_corpus([dissect(output, texts, tokenizer=tokenizer) for output, texts in pairs])
    sentences = [
        dissect(output, texts, tokenizer=tokenizer, effective_order=True).score for output, texts in pairs
    ]
    return BleuParts(
        corpus.score,
        mean(sentences),
        corpus.brevity_penalty,
        corpus.length,
        corpus.reference_length,
        tuple(NGramPrecision(order.n, order.matched, order.total, order.smoothed) for order in corpus.orders),
    )

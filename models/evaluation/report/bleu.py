"""BLEU of a corpus in its parts, as plain JSON types, beside the mean of its sentences."""

from __future__ import annotations

from statistics import mean
from typing import Any

from models.evaluation.systems import Result
from models.metrics.dissection import dissect, together
from models.metrics.sentence import TOKENIZERS


def bleu_in_parts(result: Result) -> dict[str, Any]:
    """The corpus score is no mean of sentences: both are told."""
    tokenizer = TOKENIZERS.get(result.language, "13a")
    pairs = list(zip(result.outputs, result.segments.references, strict=True))
    corpus = together([dissect(output, texts, tokenizer=tokenizer) for output, texts in pairs])
    alone = [
        dissect(output, texts, tokenizer=tokenizer, effective_order=True).score for output, texts in pairs
    ]
    return {
        "score": corpus.score,
        "mean_of_sentences": mean(alone),  # with effective order, as sentence BLEU is computed
        "brevity_penalty": corpus.brevity_penalty,
        "length": corpus.length,
        "reference_length": corpus.reference_length,
        "orders": [
            {"n": order.n, "matched": order.matched, "total": order.total, "precision": order.smoothed}
            for order in corpus.orders
        ],
    }

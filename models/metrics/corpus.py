"""Corpus metrics, computed by sacrebleu. Imports no torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from models.metrics.sentence import TOKENIZERS


@dataclass(frozen=True)
class Metrics:
    """Scores of a list of outputs."""

    bleu: float  # Papineni et al. 2002, corpus level, 0 to 100
    chrf: float  # Popovic 2015, 0 to 100
    exact_match: float  # per cent of outputs equal to one of their references
    error_rate: float  # 100 - exact_match; for spelling to sound it is the word error rate
    bleu_signature: str
    chrf_signature: str


def check_references(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Raise ValueError unless there are outputs, each with references of its own."""
    if len(outputs) != len(references) or not outputs:
        counts = f"{len(outputs)} outputs and {len(references)} lists of references"
        raise ValueError(f"each of one or more outputs needs its references; got {counts}")
    if not all(references):
        raise ValueError("every output needs at least one reference")


def measure(outputs: Sequence[str], references: Sequence[Sequence[str]], language: str = "") -> Metrics:
    """Score each output against one or more references of its own.

    `language` (BCP 47, of the outputs) chooses the tokenizer of BLEU. Raises ValueError if the counts differ
    or an output has no reference.
    """
    check_references(outputs, references)
    bleu, chrf = BLEU(tokenize=TOKENIZERS.get(language)), CHRF()
    streams = streams_of(references)
    hits = sum(output in choices for output, choices in zip(outputs, references, strict=True))
    return Metrics(
        # sacrebleu takes None for an absent reference; its annotations do not say so.
        bleu=bleu.corpus_score(outputs, streams).score,  # type: ignore[arg-type]
        chrf=chrf.corpus_score(outputs, streams).score,  # type: ignore[arg-type]
        exact_match=100 * hits / len(outputs),
        error_rate=100 - 100 * hits / len(outputs),
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
    )


def streams_of(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """One list for each reference index, as sacrebleu takes them; None if an output has fewer references."""
    max_references = max(len(choices) for choices in references)
    return [
        [choices[i] if i < len(choices) else None for choices in references] for i in range(max_references)
    ]

"""The scores of a checkpoint on a list of pairs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from models.corpus.pairs import Pair, by_source
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.evaluation.run import target_ids
from models.evaluation.text_scores import perplexity, score_texts
from models.metrics.bootstrap import Metrics, measure
from models.registry.checkpoint import Checkpoint


@dataclass(frozen=True)
class Scores:
    """The scores of a checkpoint, with the settings that they depend on."""

    checkpoint: str
    strategy: str
    sources: int  # distinct source texts
    references: int
    source_tokens: int  # tokens with end tokens, or cells if the checkpoint reads pictures
    reference_tokens: int
    metrics: Metrics
    perplexity: float  # per reference token, teacher forced, end token included
    seconds: float  # seconds of decoding


def evaluate(checkpoint: Checkpoint, pairs: Sequence[Pair], options: DecodingOptions) -> Scores:
    """Decode every distinct source once and score it against all of its references."""
    grouped, tokenizer, language = by_source(pairs), checkpoint.tokenizer, checkpoint.config.target_language
    started = time.perf_counter()
    outputs = translate(checkpoint.model, tokenizer, list(grouped), options, language=language)
    seconds = time.perf_counter() - started
    sources = tokenizer.encode_ids([source for source, _ in pairs])
    grid = tokenizer.picture
    lengths = {
        text: grid.cells**2 if grid else len(ids) for (text, _), ids in zip(pairs, sources, strict=True)
    }
    targets = target_ids(tokenizer, [reference for _, reference in pairs])
    return Scores(
        checkpoint=checkpoint.name,
        strategy=options.strategy,
        sources=len(grouped),
        references=len(pairs),
        source_tokens=sum(lengths.values()),
        reference_tokens=sum(map(len, targets)),
        metrics=measure(outputs, list(grouped.values()), language),
        perplexity=perplexity(score_texts(checkpoint.model, sources, targets, tokenizer)),
        seconds=seconds,
    )

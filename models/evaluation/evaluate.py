"""What a checkpoint scores on a list of pairs."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from models.batch import Batch
from models.corpus.pairs import Pair
from models.decoding.decode import translate
from models.decoding.options import DecodingOptions
from models.metrics.corpus import Metrics, measure
from models.networks.base import Seq2SeqModel
from models.registry.checkpoint import Checkpoint
from models.tokenization.tokenizer import Tokenizer

BATCH_PAIRS = 64


@dataclass(frozen=True)
class Report:
    """The outcome, and what is needed to make it again."""

    checkpoint: str
    strategy: str
    sources: int  # distinct source texts
    references: int
    source_tokens: int  # of the checkpoint's tokenizer, end tokens included; of pictures, cells
    reference_tokens: int
    metrics: Metrics
    perplexity: float  # per reference token, teacher forced, end token included
    seconds: float  # of decoding


def evaluate(checkpoint: Checkpoint, pairs: Sequence[Pair], options: DecodingOptions) -> Report:
    """Decode every distinct source once and score it against all of its references."""
    grouped: dict[str, list[str]] = {}
    for source, reference in pairs:
        grouped.setdefault(source, []).append(reference)
    started = time.perf_counter()
    outputs = translate(
        checkpoint.model,
        checkpoint.tokenizer,
        list(grouped),
        options,
        language=checkpoint.config.target_language,
    )
    seconds = time.perf_counter() - started
    sources = checkpoint.tokenizer.encode_ids([source for source, _ in pairs])
    grid = checkpoint.tokenizer.picture
    lengths = {
        text: grid.cells**2 if grid else len(ids) for (text, _), ids in zip(pairs, sources, strict=True)
    }
    tokenizer = checkpoint.tokenizer
    written = tokenizer.target.encode_ids([reference for _, reference in pairs])
    targets = [(*tokenizer.first_ids, *ids) for ids in written]
    return Report(
        checkpoint=checkpoint.name,
        strategy=options.strategy,
        sources=len(grouped),
        references=len(pairs),
        source_tokens=sum(lengths.values()),
        reference_tokens=sum(map(len, targets)),
        metrics=measure(outputs, list(grouped.values()), checkpoint.config.target_language),
        perplexity=perplexity(checkpoint.model, sources, targets, tokenizer),
        seconds=seconds,
    )


@torch.inference_mode()
def perplexity(
    model: Seq2SeqModel,
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    tokenizer: Tokenizer | None = None,
) -> float:
    """exp of the mean negative log-likelihood of a target token, end tokens included, padding excluded."""
    model.eval()
    device = next(model.parameters()).device
    order = sorted(range(len(targets)), key=lambda i: (len(targets[i]), len(sources[i])))
    total, tokens, special = 0.0, 0, tokenizer or Tokenizer
    for start in range(0, len(order), BATCH_PAIRS):
        chosen = order[start : start + BATCH_PAIRS]
        batch = Batch.from_ids(
            [sources[i] for i in chosen],
            [targets[i] for i in chosen],
            bos_id=special.bos_id,
            pad_id=special.pad_id,
        ).to(device)
        log_probs = model.project(model.features(batch)[batch.tgt_mask]).float().log_softmax(dim=-1)
        total -= log_probs.gather(1, batch.tgt_out[batch.tgt_mask].unsqueeze(1)).double().sum().item()
        tokens += batch.num_tokens
    return math.exp(min(total / tokens, 700.0))

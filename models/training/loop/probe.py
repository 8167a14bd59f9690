"""The probe: one sentence that is decoded at each evaluation, with the attention of its output."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from models.batch import Batch
from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.networks.base import Seq2SeqModel
from models.tokenization.tokenizer import Tokenizer
from models.training.events import ProbeDecoded

DIGITS = 3  # digits of attention weights and probabilities; a picture shows no more


def decode_probe(
    model: Seq2SeqModel, tokenizer: Tokenizer, source: str, reference: str, *, max_length: int, step: int
) -> ProbeDecoded:
    """Decode `source` greedily; also predict each token of a reference, if any, from those before."""
    model.eval()
    trace = decode(model, tokenizer, source, DecodingOptions("greedy", max_length=max_length))
    path = trace.path(trace.hypotheses[0].node)
    free_running = tuple(tokenizer.token(node.token_id) for node in path)
    expected, teacher_forced, reference_probabilities = _teacher_forced(model, tokenizer, source, reference)
    return ProbeDecoded(
        step=step,
        source=tokenizer.encode(source).tokens,
        reference=expected,
        free_running=free_running,
        free_running_probabilities=tuple(round(math.exp(node.log_prob), DIGITS) for node in path),
        teacher_forced=teacher_forced,
        reference_probabilities=reference_probabilities,
        divergence=first_difference(free_running, teacher_forced) if reference else None,
        attention=_mean_attention([trace.row(node).attention for node in path]),
        output=trace.hypotheses[0].text,
    )


@torch.inference_mode()
def _teacher_forced(
    model: Seq2SeqModel, tokenizer: Tokenizer, source: str, reference: str
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[float, ...]]:
    """The reference's T tokens, the most probable token at each position, the reference's T probabilities."""
    if not reference:
        return (), (), ()
    ids = tokenizer.encode_ids([source]) + tokenizer.target.encode_ids([reference])
    batch = Batch.from_ids([ids[0]], [ids[1]], bos_id=tokenizer.bos_id, pad_id=tokenizer.pad_id)
    batch = batch.to(next(model.parameters()).device)
    probabilities = model.log_probs(model(batch)[0]).exp()  # (T, V)
    best = probabilities.argmax(dim=-1).tolist()
    of_reference = probabilities.gather(1, batch.tgt_out[0].unsqueeze(1))[:, 0].tolist()
    return (
        tuple(tokenizer.token(i) for i in ids[1]),
        tuple(tokenizer.token(i) for i in best),
        tuple(round(value, DIGITS) for value in of_reference),
    )


def first_difference(one: Sequence[object], other: Sequence[object]) -> int | None:
    """The first position where the two differ; a position that only the longer one has counts."""
    for position in range(max(len(one), len(other))):
        if one[position : position + 1] != other[position : position + 1]:
            return position
    return None


def _mean_attention(rows: list[object]) -> tuple[tuple[float, ...], ...] | None:
    """The mean over layers and heads for each step: (T', S)."""
    if any(row is None for row in rows):
        return None
    means = []
    for row in rows:
        heads = [head for layer in row for head in layer]  # type: ignore[attr-defined]
        means.append(tuple(round(sum(column) / len(heads), DIGITS) for column in zip(*heads, strict=True)))
    return tuple(means)

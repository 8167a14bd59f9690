"""One pair, teacher-forced and free-running: the probe of a run, and exposure bias.

The probe is a sentence that is decoded at each evaluation, with the attention of its output. For exposure
bias the decoder reads the reference, its own tokens, or a mixture of both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from models.batch import Batch
from models.decoding.decode import decode
from models.decoding.interventions import Intervention, with_opening
from models.decoding.limits import MAX_OUTPUT_TOKENS, DecodingError, check_source
from models.decoding.options import DecodingOptions
from models.decoding.search.step import SearchStep
from models.decoding.status import Stop
from models.decoding.strategies.greedy import Greedy
from models.networks.base import Seq2SeqModel
from models.tokenization.tokenizer import Tokenizer
from models.training.events import ProbeDecoded
from models.training.loop.objective import with_own_tokens

BEYOND = 10  # number of tokens by which a free output may exceed its reference
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


@dataclass(frozen=True)
class Exposure:
    """The costs of the T tokens of a reference, end token included, and of the F tokens of the free output.

    A cost is a negative log-probability in nats.
    """

    reference: tuple[int, ...]  # T ids
    teacher_forced: tuple[int, ...]  # T ids: the most probable token after each prefix of the reference
    teacher_forced_costs: tuple[float, ...]  # T costs of the reference's tokens after its own prefixes
    free_running: tuple[int, ...]  # F ids of the free output
    free_running_costs: tuple[float, ...]  # F costs of its tokens
    exposed_costs: tuple[float, ...]  # min(T, F) costs of the reference's tokens after the free output's
    fed: tuple[int, ...]  # T - 1 ids that scheduled sampling feeds after the start token
    fed_costs: tuple[float, ...]  # T costs of the reference's tokens after these

    @property
    def divergence(self) -> int | None:
        """The first position where the free output is not the reference, from 0."""
        return first_difference(self.reference, self.free_running)


def exposure(
    model: Seq2SeqModel,
    tokenizer: Tokenizer,
    pair: tuple[str, str],
    *,
    ratio: float,
    seed: int = 0,
    prefix_length: int = 0,
    on_step: Callable[[SearchStep], Stop | None] = lambda _: None,
) -> Exposure:
    """Decode a source, and its reference under teacher forcing, greedily.

    Scheduled sampling (Bengio et al. 2015) feeds each of the reference's tokens with probability `ratio`,
    drawn with `seed`. The free output begins with the first `prefix_length` tokens of the reference.
    Raises DecodingError for texts that cannot be read or written.
    """
    source, reference = pair
    read = check_source(model, tokenizer, source).ids
    reference_ids = with_opening(tokenizer.target.encode(reference).ids, tokenizer)
    limit = min(MAX_OUTPUT_TOKENS, model.max_positions or MAX_OUTPUT_TOKENS)
    if len(reference_ids) > limit:
        raise DecodingError(
            "reference_too_long_to_feed",
            "The reference has {count} tokens; this network can be fed {limit}. Shorten it.",
            count=len(reference_ids),
            limit=limit,
        )
    options = DecodingOptions(Greedy.name, max_length=min(limit, len(reference_ids) + BEYOND))
    prefix = Intervention(reference_ids[: min(prefix_length, len(reference_ids) - 1)])
    trace = decode(model, tokenizer, source, options, intervention=prefix, on_step=on_step)
    if not trace.hypotheses:
        raise DecodingError("stopped_before_an_output", "This was stopped before the network had written.")
    path = trace.path(trace.hypotheses[0].node)
    free_running = tuple(node.token_id for node in path)
    batch, after_free_running = (
        Batch.from_ids([read], [ids], bos_id=tokenizer.bos_id, pad_id=tokenizer.pad_id).to(
            next(model.parameters()).device
        )
        for ids in (reference_ids, free_running)
    )
    shared = min(len(reference_ids), len(free_running))
    fed = with_own_tokens(model, batch, ratio, torch.Generator().manual_seed(seed))
    by_reference = _costs(model, batch)
    return Exposure(
        reference=reference_ids,
        teacher_forced=tuple(by_reference.argmin(dim=1).tolist()),
        teacher_forced_costs=_costs_of(reference_ids, by_reference),
        free_running=free_running,
        free_running_costs=tuple(-node.log_prob for node in path),
        exposed_costs=_costs_of(reference_ids[:shared], _costs(model, after_free_running)),
        fed=tuple(fed.tgt_in[0, 1:].tolist()),
        fed_costs=_costs_of(reference_ids, _costs(model, fed)),
    )


@torch.inference_mode()
def _costs(model: Seq2SeqModel, batch: Batch) -> Tensor:
    """The costs of every token after the inputs of a batch of one row: (T, V)."""
    logits: Tensor = model(batch)[0]
    return -model.log_probs(logits)


def _costs_of(ids: Sequence[int], costs: Tensor) -> tuple[float, ...]:
    """The cost of each id at its own position; costs (T, V)."""
    return tuple(costs[torch.arange(len(ids)), torch.tensor(ids)].tolist())

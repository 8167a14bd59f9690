"""From a text to its trace: the door through which an application decodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import torch
from torch import Tensor

from models.batch import pad
from models.decoding.beam import NEVER
from models.decoding.forcing import attention_overrides, begun, check_forced
from models.decoding.limits import (
    MAX_OUTPUT_TOKENS,
    MAX_SOURCE_TOKENS,
    DecodingError,
    check_max_length,
    check_source,
)
from models.decoding.parallel import side_by_side
from models.decoding.processors import BannedTokens, LogitsProcessor
from models.decoding.recorder import Recorder, Recording, Watch
from models.decoding.risk import best_text, reranked
from models.decoding.search import SearchStep, search
from models.decoding.strategies import BeamSearch, DecodingStrategy, ExactSearch
from models.decoding.strategies.complete import MIN_BUDGET
from models.decoding.trace import AttentionOverride, DecodingTrace, Hypothesis, Stop, Token
from models.networks.base import Seq2SeqModel
from models.tokenization import Encoding, Tokenizer

__all__ = [
    "MAX_OUTPUT_TOKENS",
    "MAX_SOURCE_TOKENS",
    "DecodingError",
    "check_max_length",
    "check_source",
    "decode",
    "source_tokens",
    "translate",
]
GUIDE_BEAMS = 4  # of the beam search that gives exact search its first bound


def decode(
    model: Seq2SeqModel,
    tokenizer: Tokenizer,
    text: str,
    strategy: DecodingStrategy,
    *,
    max_length: int,
    seed: int = 0,
    checkpoint: str = "",
    processors: Sequence[LogitsProcessor] = (),
    forced: Sequence[int] = (),
    overrides: Sequence[AttentionOverride] = (),
    watch: Watch = lambda step: None,
) -> DecodingTrace:
    """Decode one text and record everything. Raises DecodingError for what cannot be decoded so.

    `forced` are the first generated tokens, whatever the model says of them; `overrides` replace its
    cross-attention at some steps; `watch` looks at each step and ends the search by a reason to stop, with
    what is finished by then. `checkpoint` is only written into the trace. The same arguments give the same
    trace.
    """
    encoding = check_source(model, tokenizer, text)
    check_max_length(model, max_length)
    forced = begun(forced, tokenizer)
    check_forced(forced, tokenizer, max_length)
    replaced = attention_overrides(overrides, model, len(encoding.tokens), max_length)
    try:
        strategy.check(model.vocab_size, max_length - len(forced))
    except ValueError as error:
        raise DecodingError(str(error)) from error

    def steps(by: DecodingStrategy) -> Iterable[SearchStep]:
        return _steps(model, tokenizer, [encoding.ids], by, max_length, seed, processors, forced, replaced)

    def record(by: DecodingStrategy) -> Recording:
        return Recorder(tokenizer.token, tokenizer.decode, by).record(steps(by), watch)

    recording = _tightened(_guided(strategy, steps, free_to_end=not processors), record)
    hypotheses, utilities = reranked(strategy, recording.hypotheses)
    return DecodingTrace(
        checkpoint=checkpoint,
        source_text=encoding.text,
        source=source_tokens(encoding, tokenizer.unk_id),
        strategy=strategy.name,
        settings=_settings(strategy, max_length, seed),
        steps=recording.steps,
        hypotheses=hypotheses,
        forced=forced if forced != tokenizer.first_ids else (),
        opening=len(tokenizer.first_ids),
        overrides=tuple(overrides),
        exploration=recording.exploration,
        utilities=utilities,
    )


def translate(
    model: Seq2SeqModel,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    strategy: DecodingStrategy,
    *,
    max_length: int,
    seed: int = 0,
    batch_rows: int = 256,
) -> list[str]:
    """The best hypothesis of each text, in batches of like length, side by side, without a trace."""
    sources = tokenizer.encode_ids(texts)
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    outputs = [""] * len(sources)
    size = 1 if strategy.depth_first else max(1, batch_rows // strategy.width)

    def decode_batch(start: int) -> None:
        chosen = order[start : start + size]

        def steps(by: DecodingStrategy) -> Iterable[SearchStep]:
            chosen_sources = [sources[i] for i in chosen]
            return _steps(model, tokenizer, chosen_sources, by, max_length, seed, forced=tokenizer.first_ids)

        pools = None
        for step in steps(_guided(strategy, steps)):
            pools = step.pools
        for i, pool in zip(chosen, pools or (), strict=True):
            finished = pool.finished if strategy.name == "mbr" else pool.finished[:1]
            outputs[i] = best_text(strategy, [tokenizer.decode(sequence.tokens) for sequence in finished])

    side_by_side(decode_batch, range(0, len(order), size), next(model.parameters()).device)
    return outputs


def source_tokens(encoding: Encoding, unk_id: int) -> tuple[Token, ...]:
    """An encoding as a trace and a page show it."""
    # The cells of a picture are no tokens of the vocabulary: they are numbered.
    ids = encoding.ids if len(encoding.ids) == len(encoding.tokens) else range(len(encoding.tokens))
    is_text = ids is encoding.ids
    return tuple(
        Token(token_id, surface, is_text and token_id == unk_id, start, end)
        for token_id, surface, (start, end) in zip(ids, encoding.tokens, encoding.offsets, strict=True)
    )


def _guided(
    strategy: DecodingStrategy,
    steps: Callable[[DecodingStrategy], Iterable[SearchStep]],
    free_to_end: bool = True,
) -> DecodingStrategy:
    """Exact search with a bound from beam search, so that there is a best sequence from the start.

    `free_to_end`: nothing forbids an output to end early.
    """
    if not isinstance(strategy, ExactSearch) or strategy.guide:
        return strategy
    found: list[tuple[float, tuple[int, ...]]] = []
    held = found
    for step in steps(BeamSearch(GUIDE_BEAMS)):
        if free_to_end and step.imposed is None:
            found.append(_best_end(step))
        held = [(sequence.order, sequence.tokens) for sequence in step.pools[0].finished]
    bound, guide = max([*found, *held], default=(NEVER, ()))
    return replace(strategy, bound=bound, guide=guide)


def _best_end(step: SearchStep) -> tuple[float, tuple[int, ...]]:
    """The most probable way to end now, which a beam would not take: often shorter is likelier."""
    ends = step.beam.order[0] + step.log_probs[0, :, step.eos_id]  # (K,)
    row = int(ends.argmax())
    return float(ends[row]), (*step.beam.tokens[0, row].tolist(), step.eos_id)


@torch.inference_mode()
def _steps(
    model: Seq2SeqModel,
    tokenizer: Tokenizer,
    sources: Sequence[Sequence[int]],
    strategy: DecodingStrategy,
    max_length: int,
    seed: int,
    processors: Sequence[LogitsProcessor] = (),
    forced: Sequence[int] = (),
    overrides: Mapping[int, Tensor] | None = None,
) -> Iterable[SearchStep]:
    device = next(model.parameters()).device
    src, src_mask = pad(sources, tokenizer.pad_id)
    if tokenizer.never_ids:
        processors = (BannedTokens(tokenizer.never_ids, tokenizer.eos_id), *processors)
    return search(
        model.eval(),
        model.encode(src.to(device), src_mask.to(device)),
        strategy,
        bos_id=tokenizer.bos_id,
        eos_id=tokenizer.eos_id,
        max_length=max_length,
        rng=torch.Generator().manual_seed(seed),
        processors=processors,
        forced=forced,
        opening=len(tokenizer.first_ids),
        closes=tokenizer.closes,
        overrides=overrides,
    )


def _tightened(strategy: DecodingStrategy, record: Callable[[DecodingStrategy], Recording]) -> Recording:
    """What a search records; an exact one that had to leave something out tries again, knowing more.

    With a bound as good as what it found, it has less to look at.
    """
    recording = record(strategy)
    spent, budget = recording.exploration.expanded, strategy.budget
    while (
        isinstance(strategy, ExactSearch)
        and recording.exploration.stop is Stop.BUDGET
        and recording.hypotheses
        and _order(recording.hypotheses[0]) > strategy.bound
        and strategy.node_budget - recording.exploration.expanded >= MIN_BUDGET
    ):
        best, left = recording.hypotheses[0], strategy.node_budget - recording.exploration.expanded
        strategy = replace(strategy, node_budget=left, bound=_order(best), guide=best.token_ids)
        recording = record(strategy)
        spent += recording.exploration.expanded
    return replace(recording, exploration=replace(recording.exploration, expanded=spent, budget=budget))


def _order(hypothesis: Hypothesis) -> float:
    return hypothesis.log_prob if hypothesis.order is None else hypothesis.order


def _settings(strategy: DecodingStrategy, max_length: int, seed: int) -> dict[str, Any]:
    settings = asdict(strategy)  # type: ignore[call-overload]
    # Told below; what changes the effort but no result; told by the signature of the utilities.
    for name in ("normalizer", "bound", "guide", "language"):
        settings.pop(name, None)
    return {
        **settings,
        "normalizer": strategy.normalizer.kind,
        "length_penalty": strategy.normalizer.alpha,
        "max_length": max_length,
        "seed": seed,
    }

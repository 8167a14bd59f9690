"""From a text to its trace: the door through which an application decodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import torch

from models.batch import pad
from models.decoding.processors import LogitsProcessor
from models.decoding.recorder import Recorder
from models.decoding.search import SearchStep, search
from models.decoding.strategies import DecodingStrategy, Greedy, Sampling
from models.decoding.trace import DecodingTrace, Token
from models.networks.base import Seq2SeqModel
from models.tokenization import Encoding, Tokenizer

MAX_SOURCE_TOKENS = 512
MAX_OUTPUT_TOKENS = 256


class DecodingError(ValueError):
    """A request that cannot be decoded; the message says what to change."""


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
) -> DecodingTrace:
    """Decode one text and record everything. Raises DecodingError for a text or a length that cannot be.

    `checkpoint` is only written into the trace. The same arguments give the same trace.
    """
    encoding = check_source(model, tokenizer, text)
    check_max_length(model, max_length)
    steps = _steps(model, [encoding.ids], strategy, max_length, seed, processors)
    chooses = isinstance(strategy, Greedy | Sampling)
    recorder = Recorder(tokenizer.token, tokenizer.decode, strategy.normalizer, chooses)
    recorded, hypotheses = recorder.record(steps)
    return DecodingTrace(
        checkpoint=checkpoint,
        source_text=encoding.text,
        source=source_tokens(encoding, tokenizer.unk_id),
        strategy=strategy.name,
        settings=_settings(strategy, max_length, seed),
        steps=recorded,
        hypotheses=hypotheses,
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
    """The best hypothesis of each text, in batches of like length and without a trace."""
    sources = tokenizer.encode_ids(texts)
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    outputs = [""] * len(sources)
    size = max(1, batch_rows // strategy.width)
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        pools = None
        for step in _steps(model, [sources[i] for i in chosen], strategy, max_length, seed, ()):
            pools = step.pools
        for i, pool in zip(chosen, pools or (), strict=True):
            outputs[i] = tokenizer.decode(pool.finished[0].tokens)
    return outputs


def check_source(model: Seq2SeqModel, tokenizer: Tokenizer, text: str) -> Encoding:
    """Tokenize. Raises DecodingError if there is nothing to read or too much of it."""
    if not text.strip():
        raise DecodingError("There is no text to decode. Type a sentence first.")
    encoding = tokenizer.encode(text)
    limit = min(MAX_SOURCE_TOKENS, model.max_positions or MAX_SOURCE_TOKENS)
    if len(encoding.ids) > limit:
        raise DecodingError(
            f"The text has {len(encoding.ids):,} tokens; this model reads at most {limit}. Shorten it."
        )
    return encoding


def check_max_length(model: Seq2SeqModel, max_length: int) -> None:
    """Raises DecodingError unless 1 <= max_length <= what the model can write."""
    limit = min(MAX_OUTPUT_TOKENS, model.max_positions or MAX_OUTPUT_TOKENS)
    if not 1 <= max_length <= limit:
        raise DecodingError(f"max_length must be between 1 and {limit} tokens; got {max_length}.")


def source_tokens(encoding: Encoding, unk_id: int) -> tuple[Token, ...]:
    """An encoding as a trace and a page show it."""
    return tuple(
        Token(token_id, surface, token_id == unk_id, start, end)
        for token_id, surface, (start, end) in zip(
            encoding.ids, encoding.tokens, encoding.offsets, strict=True
        )
    )


@torch.inference_mode()
def _steps(
    model: Seq2SeqModel,
    sources: Sequence[Sequence[int]],
    strategy: DecodingStrategy,
    max_length: int,
    seed: int,
    processors: Sequence[LogitsProcessor],
) -> Iterable[SearchStep]:
    device = next(model.parameters()).device
    src, src_mask = pad(sources, Tokenizer.pad_id)
    return search(
        model.eval(),
        model.encode(src.to(device), src_mask.to(device)),
        strategy,
        bos_id=Tokenizer.bos_id,
        eos_id=Tokenizer.eos_id,
        max_length=max_length,
        rng=torch.Generator().manual_seed(seed),
        processors=processors,
    )


def _settings(strategy: DecodingStrategy, max_length: int, seed: int) -> dict[str, Any]:
    settings = asdict(strategy)  # type: ignore[call-overload]
    normalizer = settings.pop("normalizer")
    return {
        **settings,
        "normalizer": normalizer["kind"],
        "length_penalty": normalizer["alpha"],
        "max_length": max_length,
        "seed": seed,
    }

"""Answers of the API: records of the library as plain JSON types. Minus infinity is null."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from demo.i18n.display import number_text, whole_text
from demo.widgets.view.payload import round_finite
from demo.work.requests.checks import RequestError
from models.decoding.judge.verdict import ScoredText, ScoredToken
from models.decoding.record_json import as_json
from models.decoding.trace import DecodingTrace, Hypothesis
from models.registry.card import CheckpointCard
from models.registry.checkpoint import CheckpointConfig
from models.tokenization.plain_text import UNK
from models.tokenization.tokenizer import Encoding

MAX_TRACE_BYTES = 8_000_000
# JSON of a candidate, a next token, an attention weight.
NODE_BYTES, TOP_BYTES, WEIGHT_BYTES = 280, 70, 10

Answer = dict[str, Any]


def checkpoint_answer(card: CheckpointCard, config: CheckpointConfig) -> Answer:
    """An entry in the list of checkpoints."""
    return {
        "name": card.name,
        "task": card.task,
        "languages": list(card.languages),
        "architecture": card.architecture,
        "parameters": card.parameters,
        "licence": card.licence,
        "examples": list(config.examples),
        "reads_pictures": config.reads_pictures,
        "max_length": config.max_length,
    }


def card_answer(card: CheckpointCard) -> Answer:
    """All fields of a card."""
    return {**asdict(card), "languages": list(card.languages), "metrics": list(map(asdict, card.metrics))}


def translation_answer(trace: DecodingTrace, with_trace: bool) -> Answer:
    """The hypotheses of a decoding, best first, and how it ended. Raises RequestError for a huge trace."""
    exploration = as_json(trace.exploration) if trace.exploration else {}
    answer = {
        "checkpoint": trace.checkpoint,
        "text": trace.source_text,
        "output": trace.hypotheses[0].text,
        "hypotheses": [_hypothesis(trace, result) for result in trace.hypotheses],
        "strategy": trace.strategy,
        "settings": dict(trace.settings),
        "search": {name: getattr(value, "value", value) for name, value in exploration.items()},
        **_words(trace),
    }
    return {**answer, "trace": _record(trace)} if with_trace else answer


def score_answer(checkpoint: str, source: str, scored: ScoredText) -> Answer:
    """The model's scores of a given text."""
    return {
        "checkpoint": checkpoint,
        "text": source,
        "target": scored.text,
        "tokens": [_token_answer(token) for token in scored.tokens],
        "log_prob": round_finite(scored.log_prob),
        "score": round_finite(scored.score),
        "perplexity": round_finite(scored.perplexity),
        "unknown": list(scored.unknown),
    }


def tokens_answer(encoding: Encoding) -> Answer:
    """The tokens of a source; the cells of a picture have no ids."""
    ids = encoding.ids if len(encoding.ids) == len(encoding.tokens) else [None] * len(encoding.tokens)
    tokens = [
        {"token": token, "id": token_id, "start": start, "end": end, "unknown": token == UNK}
        for token, token_id, (start, end) in zip(encoding.tokens, ids, encoding.offsets, strict=True)
    ]
    return {"tokens": tokens, "unknown": list(encoding.unknown)}


def _hypothesis(trace: DecodingTrace, hypothesis: Hypothesis) -> Answer:
    path = trace.path(hypothesis.node)
    return {
        "text": hypothesis.text,
        "tokens": [node.token for node in path],
        "token_ids": list(hypothesis.token_ids),
        "log_probs": [round_finite(node.log_prob) for node in path],
        "log_prob": round_finite(hypothesis.log_prob),
        "score": round_finite(hypothesis.score),
        "ended": hypothesis.ended,
        "group": hypothesis.group,
        "utility": hypothesis.utility,
        **({"written": list(hypothesis.word_steps)} if trace.words else {}),
    }


def _words(trace: DecodingTrace) -> Answer:
    """The required words, if any, and the result of the same search without them."""
    if not trace.words:
        return {}
    fields = trace.to_dict()
    return {name: fields[name] for name in ("words", "free")}


def _token_answer(token: ScoredToken) -> Answer:
    other = token.alternative
    return {
        "token": token.surface,
        "id": token.id,
        "log_prob": round_finite(token.log_prob),
        "rank": token.rank,
        "unknown": token.unknown,
        "entropy": round_finite(token.entropy),
        "alternative": other
        and {"token": other.token, "id": other.token_id, "log_prob": round_finite(other.log_prob)},
    }


def _record(trace: DecodingTrace) -> Answer:
    """The trace in its own JSON format."""
    size = bytes_of(trace)
    if size > MAX_TRACE_BYTES:
        raise RequestError(
            "answered_trace_too_large",
            "The trace would take about {size} MB; at most {limit} MB are sent. Ask for fewer beams or "
            "samples, for shorter outputs, or without the trace.",
            size=whole_text(size / 1e6),
            limit=number_text(MAX_TRACE_BYTES / 1e6, 0),
        )
    record: Answer = json.loads(trace.to_json())
    return record


def bytes_of(trace: DecodingTrace) -> int:
    """An estimate of the size of the JSON, which may take half a minute to make."""
    rows = [row for step in trace for row in step.rows]
    weights = sum(len(layer) * len(layer[0]) for row in rows for layer in row.attention or ())
    matrix = len(trace.utilities.matrix) ** 2 if trace.utilities else 0
    tops = sum(len(row.top) for row in rows)
    return NODE_BYTES * len(trace.nodes) + TOP_BYTES * tops + WEIGHT_BYTES * (weights + matrix)

"""The score of a given text: teacher-forced, all its tokens in one pass.

No attention is returned; to see it, decode with the tokens of the text forced.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from models.batch import Batch
from models.decoding.interventions import opening_length, with_opening
from models.decoding.judge.verdict import ScoredText, ScoredToken
from models.decoding.limits import MAX_OUTPUT_TOKENS, DecodingError, check_numbers, check_source, check_tokens
from models.decoding.search.constraints import forced_only
from models.decoding.search.strategy import LengthNormalizer
from models.decoding.trace import NextToken
from models.networks.base import Seq2SeqModel
from models.tokenization.plain_text import plain_text
from models.tokenization.tokenizer import Tokenizer


def rescore(
    model: Seq2SeqModel,
    tokenizer: Tokenizer,
    source: str,
    target: str,
    normalizer: LengthNormalizer | None = None,
) -> ScoredText:
    """Score `target` as an output for `source`. Raises DecodingError if the model cannot read or write them.

    The score is comparable with that of a hypothesis; `verdict` compares them.
    """
    encoding = check_source(model, tokenizer, source)
    if not plain_text(target):
        raise DecodingError("no_text_to_score", "There is no text to score. Type a translation first.")
    encoded_target = tokenizer.target.encode(target)
    tokens = rescore_ids(model, encoding.ids, with_opening(encoded_target.ids, tokenizer), tokenizer)
    scored = ScoredText.from_tokens(encoded_target.text, tokens, normalizer)
    return replace(scored, unknown=encoded_target.unknown, opening=len(tokenizer.first_ids))


def rescore_ids(
    model: Seq2SeqModel,
    source_ids: Sequence[int],
    token_ids: Sequence[int],
    tokenizer: Tokenizer | None = None,
) -> tuple[ScoredToken, ...]:
    """Score each of T tokens, given the source and the tokens before it.

    Without a `tokenizer` the special tokens are those of `Tokenizer`, and surfaces are numbers. Raises
    DecodingError if the model cannot write these tokens.
    """
    special, surface_of = tokenizer or Tokenizer, str if tokenizer is None else tokenizer.token
    _check_writable(model, token_ids, opening_length(token_ids, special))
    batch = Batch.from_ids([source_ids], [token_ids], bos_id=special.bos_id, pad_id=special.pad_id)
    log_probs = _teacher_forced(model, batch)
    for index in range(opening_length(token_ids, special)):
        log_probs[index] = forced_only(torch.zeros_like(log_probs[index]), token_ids[index])
    ids = torch.tensor(list(token_ids), device=log_probs.device).unsqueeze(1)
    token_log_probs = log_probs.gather(1, ids)
    vocabulary = torch.arange(log_probs.shape[1], device=log_probs.device)
    ties = (log_probs == token_log_probs) & (vocabulary < ids)
    better = (log_probs > token_log_probs) | ties
    entropies = torch.special.entr(log_probs.exp()).sum(dim=1)
    best, best_ids = log_probs.scatter(1, ids, -math.inf).max(dim=1)
    numbers = (token_log_probs.squeeze(1), better.sum(dim=1), entropies, best, best_ids)
    columns = zip(token_ids, *(column.tolist() for column in numbers), strict=True)
    return tuple(
        ScoredToken(
            id=token_id,
            surface=surface_of(token_id),
            log_prob=log_prob,
            rank=rank,
            unknown=token_id == special.unk_id,
            entropy=entropy,
            alternative=NextToken(other, surface_of(other), other_log_prob)
            if other_log_prob > -math.inf
            else None,
        )
        for token_id, log_prob, rank, entropy, other_log_prob, other in columns
    )


@torch.no_grad()
def _teacher_forced(model: Seq2SeqModel, batch: Batch) -> Tensor:
    """Return the log-probabilities (T, V) in nats."""
    device = next(model.parameters()).device
    log_probs = model.log_probs(model.eval()(batch.to(device))[0])
    check_numbers(log_probs)
    return log_probs


def _check_writable(model: Seq2SeqModel, token_ids: Sequence[int], opening: int) -> None:
    """Raise DecodingError unless the model can write this number of tokens, and each of them."""
    limit = min(MAX_OUTPUT_TOKENS, model.max_positions or MAX_OUTPUT_TOKENS)
    if not token_ids:
        raise DecodingError("no_token_to_score", "There is no token to score. Give at least the end token.")
    if len(token_ids) > limit:
        raise DecodingError(
            "text_to_score_too_long",
            "The text to score has {count} tokens; this model writes at most {limit}. Shorten it.",
            count=f"{len(token_ids):,}",
            limit=limit,
        )
    check_tokens(model, token_ids[opening:])

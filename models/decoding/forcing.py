"""What a user imposes on a decoder: its first tokens, and where it looks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from models.decoding.limits import DecodingError
from models.decoding.trace import AttentionOverride
from models.networks.base import Seq2SeqModel
from models.tokenization import Tokenizer

TOLERANCE = 1e-3  # of the sum of a row


def begun(forced: Sequence[int], tokenizer: Tokenizer) -> tuple[int, ...]:
    """The forced tokens, behind those that every output begins with, unless they are among them."""
    first = tokenizer.first_ids
    return tuple(forced) if tuple(forced[: len(first)]) == first else (*first, *forced)


def check_forced(forced: Sequence[int], tokenizer: Tokenizer, max_length: int) -> None:
    """Raises DecodingError unless these tokens can begin an output of at most `max_length`."""
    for token_id in forced:
        if not 0 <= token_id < tokenizer.vocab_size:
            raise DecodingError(
                f"There is no token {token_id}: the vocabulary has ids 0 to {tokenizer.vocab_size - 1:,}."
            )
    if tokenizer.eos_id in forced[:-1]:
        raise DecodingError("The forced tokens go on after the end token. Drop what follows it.")
    if len(forced) > max_length:
        raise DecodingError(
            f"{len(forced)} tokens are forced, but the output may have {max_length}. "
            "Raise the maximum length."
        )


def forced_pieces(tokenizer: Tokenizer, text: str) -> list[int]:
    """The tokens that a typed text stands for: one if it can be one, else the pieces that it becomes.

    The spelling of a special token stands for that token. Raises DecodingError if the vocabulary lacks it.
    """
    if not text.strip():
        raise DecodingError("There is no token to force. Type a word, or a token as the tree spells it.")
    if text.strip() == tokenizer.token(tokenizer.eos_id):
        return [tokenizer.eos_id]
    encoding = tokenizer.target.encode(text)
    ids = [token_id for token_id in encoding.ids if token_id != tokenizer.eos_id]
    exact = tokenizer.token_id(text.strip())
    if len(ids) != 1 and exact is not None and exact not in tokenizer.special_ids:
        return [exact]
    if tokenizer.unk_id in ids:
        unknown = ", ".join(f"“{piece}”" for piece in encoding.unknown)
        raise DecodingError(f"The vocabulary of this model lacks {unknown}. Type something else.")
    return ids


def attention_overrides(
    overrides: Sequence[AttentionOverride], model: Seq2SeqModel, source_length: int, max_length: int
) -> Mapping[int, Tensor]:
    """For each step the weights (1, L, H, S) as `Seq2SeqModel.step` takes them. Raises DecodingError."""
    rows: dict[int, Tensor] = {}
    for override in overrides:
        if model.attention_shape is None:
            raise DecodingError("This model has no attention to replace. Choose another checkpoint.")
        _check(override, model.attention_shape, source_length, max_length)
        layers, heads = model.attention_shape
        empty = torch.full((1, layers, heads, source_length), math.nan)
        given = rows.setdefault(override.step, empty)
        layer = slice(None) if override.layer is None else override.layer
        head = slice(None) if override.head is None else override.head
        given[:, layer, head] = torch.tensor(override.weights) / math.fsum(override.weights)
    device = next(model.parameters()).device
    return {step: weights.to(device) for step, weights in rows.items()}


def _check(override: AttentionOverride, shape: tuple[int, int], source_length: int, max_length: int) -> None:
    weights, total = override.weights, math.fsum(override.weights)
    if len(weights) != source_length:
        raise DecodingError(
            f"An attention row needs one weight for each of the {source_length} source tokens; "
            f"got {len(weights)}."
        )
    if not all(0 <= weight <= 1 for weight in weights):
        raise DecodingError("Attention weights must lie between 0 and 1. Change those that do not.")
    if abs(total - 1) > TOLERANCE:
        raise DecodingError(f"Attention weights must sum to 1; these sum to {total:.3f}. Rescale them.")
    if not 0 <= override.step < max_length:
        raise DecodingError(
            f"There is no step {override.step + 1}: the output has at most {max_length} tokens."
        )
    for name, value, count in (("layer", override.layer, shape[0]), ("head", override.head, shape[1])):
        if value is not None and not 0 <= value < count:
            raise DecodingError(f"This model has {count} of its attention's {name}s; got number {value + 1}.")

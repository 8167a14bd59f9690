"""Warnings about a network whose output for its own example looks broken."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from models.errors import Message
from models.registry.checkpoint import CheckpointConfig
from models.tokenization.tokenizer import Tokenizer

MAX_TRIAL_TOKENS = 40  # the output for the example is cut off there
MIN_REPEATED_TOKENS = 6  # a token this many times in a row is a sign of a broken network
PADDING_LIKELY, END_UNLIKELY = 0.1, 0.01  # probabilities


def warnings_of(model: Any, tokenizer: Tokenizer, config: CheckpointConfig) -> tuple[Message, ...]:
    """A sentence for each sign of a broken network in the greedy output of the first example.

    A network that cannot read the example gets no warning.
    """
    from models.decoding.decode import decode
    from models.decoding.limits import DecodingError
    from models.decoding.options import DecodingOptions

    text = config.examples[0]
    options = DecodingOptions("greedy", max_length=min(config.max_length, MAX_TRIAL_TOKENS))
    try:
        best = decode(model, tokenizer, text, options).hypotheses[0]
    except DecodingError:
        return ()
    run_length, token = max((len([*repetitions]), token) for token, repetitions in groupby(best.token_ids))
    padding, end = _likeliest(model, tokenizer, text, best.token_ids)
    result = []
    if run_length >= MIN_REPEATED_TOKENS:
        repeated = Message(
            "repeats_one_token",
            "It may be broken: for “{text}” it writes {token} {count} times in a row.",
            text=text,
            token=tokenizer.token(token),
            count=run_length,
        )
        result.append(repeated)
    if padding > PADDING_LIKELY and tokenizer.pad_id != tokenizer.eos_id:
        padded = Message(
            "padding_likely",
            "It may be broken: for “{text}” it gives padding a probability of up to {probability}.",
            text=text,
            probability=f"{padding:.0%}",
        )
        result.append(padded)
    if end < END_UNLIKELY:
        endless = Message(
            "end_never_likely",
            "It may be broken: over the {count} tokens that it wrote for “{text}”, the end token never "
            "had a probability above {probability}.",
            text=text,
            count=len(best.token_ids),
            probability=f"{end:.1%}",
        )
        result.append(endless)
    return tuple(result)


def _likeliest(
    model: Any, tokenizer: Tokenizer, text: str, output_ids: tuple[int, ...]
) -> tuple[float, float]:
    """The largest probability of padding, and that of the end token, over the steps of an output."""
    import torch

    from models.batch import Batch

    ids = [tokenizer.encode(text).ids], [output_ids]
    batch = Batch.from_ids(*ids, bos_id=tokenizer.bos_id, pad_id=tokenizer.pad_id)
    with torch.no_grad():
        probabilities = model.log_probs(model(batch)[0]).exp()  # 0 for tokens that its authors forbid
    return probabilities[:, tokenizer.pad_id].max().item(), probabilities[:, tokenizer.eos_id].max().item()

"""What a network says of given texts, teacher-forced, many at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch

from models.batch import Batch
from models.decoding.search.parallel import side_by_side
from models.inspection.patience import rest
from models.networks.base import Seq2SeqModel
from models.tokenization.tokenizer import Tokenizer

BATCH_PAIRS = 64

Ids = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Forced:
    """One text of T tokens, the end token included, as if the network had written it."""

    log_probs: tuple[float, ...]  # T, of its own tokens, in nats
    confidences: tuple[float, ...]  # T, the probability of the most probable token
    hits: tuple[bool, ...]  # T, whether that token is the text's own

    @property
    def log_prob(self) -> float:
        """Of the whole text, in nats."""
        return math.fsum(self.log_probs)


def forced(
    model: Seq2SeqModel,
    sources: Ids,
    targets: Ids,
    special: Tokenizer | type[Tokenizer] = Tokenizer,
    watch: Callable[[Sequence[int]], None] = lambda chosen: None,
) -> list[Forced]:
    """N texts after N sources, as token ids with their end tokens, in batches of like length, side by side.

    `watch` is told the places of the texts of each batch that is done; what it raises ends the pass. Raises
    ValueError unless there are as many sources as targets, each with a token.
    """
    pairs = list(zip(sources, targets, strict=True))
    model.eval()
    device = next(model.parameters()).device
    order = sorted(range(len(targets)), key=lambda i: (len(pairs[i][1]), len(pairs[i][0])))
    found: dict[int, Forced] = {}

    def pass_batch(start: int) -> None:
        chosen = order[start : start + BATCH_PAIRS]
        batch = Batch.from_ids(
            [pairs[i][0] for i in chosen],
            [pairs[i][1] for i in chosen],
            bos_id=special.bos_id,
            pad_id=special.pad_id,
        )
        found.update(zip(chosen, _forced(model, batch.to(device)), strict=True))
        watch(chosen)
        rest()

    side_by_side(pass_batch, range(0, len(order), BATCH_PAIRS), device)
    return [found[place] for place in range(len(targets))]


@torch.inference_mode()
def _forced(model: Seq2SeqModel, batch: Batch) -> Iterator[Forced]:
    """The B texts of a batch."""
    log_probs = model.project(model.features(batch)[batch.tgt_mask]).float().log_softmax(dim=-1)  # (M, V)
    wanted = batch.tgt_out[batch.tgt_mask]
    best, best_ids = log_probs.max(dim=-1)
    own = log_probs.gather(1, wanted.unsqueeze(1)).squeeze(1)
    columns = (own.tolist(), best.exp().tolist(), (best_ids == wanted).tolist())
    first = 0
    for length in batch.tgt_mask.sum(dim=1).tolist():
        part = slice(first, first + length)
        yield Forced(*(tuple(column[part]) for column in columns))
        first += length


def perplexity(texts: Sequence[Forced]) -> float:
    """exp of the mean negative log-likelihood of a token, end tokens included. Raises ValueError for none."""
    tokens = sum(len(text.log_probs) for text in texts)
    if not tokens:
        raise ValueError("perplexity needs at least one token")
    return math.exp(min(-math.fsum(text.log_prob for text in texts) / tokens, 700.0))

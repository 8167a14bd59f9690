"""Scores that a network gives to texts, teacher-forced, many at a time, and how well it is calibrated.

Kumar and Sarawagi 2019 ("Calibration of encoder decoder models for neural machine translation"); the error
is that of Naeini et al. 2015.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from models.batch import Batch
from models.budget import let_others_run, rows_within
from models.decoding.interventions import opening_length
from models.decoding.search.parallel import concurrent_batches, side_by_side
from models.networks.base import Seq2SeqModel
from models.tokenization.tokenizer import Tokenizer

BATCH_PAIRS = 64
NUM_CONFIDENCE_BINS = 10
FORCED_LOGITS_COPIES = 3  # copies of a token's logits in memory at once

Ids = Sequence[int]


@dataclass(frozen=True)
class TextScores:
    """The scores of a text's T tokens after its opening, teacher-forced, end token included."""

    log_probs: tuple[float, ...]  # T, the text's own tokens, in nats
    confidences: tuple[float, ...]  # T, the probability of the most probable token
    hits: tuple[bool, ...]  # T, whether that token is the text's token
    opening: int = 0  # number of tokens before them, which begin every output

    @property
    def length(self) -> int:
        """Tokens of the whole text, as a length normaliser counts them."""
        return self.opening + len(self.log_probs)

    @property
    def log_prob(self) -> float:
        """The log-probability of the whole text, in nats."""
        return math.fsum(self.log_probs)


def score_texts(
    model: Seq2SeqModel,
    sources: Sequence[Ids],
    targets: Sequence[Ids],
    special: Tokenizer | type[Tokenizer] = Tokenizer,
    on_batch: Callable[[Sequence[int]], None] = lambda indices: None,
) -> list[TextScores]:
    """Score N target texts, given N sources, in batches of similar length.

    Sources and targets are token ids with end tokens. `on_batch` gets the indices of the texts of each
    finished batch, and may raise to stop. Raises ValueError unless there are as many sources as targets, each
    with a token.
    """
    pairs = list(zip(sources, targets, strict=True))
    model.eval()
    device = next(model.parameters()).device
    by_length = sorted(range(len(targets)), key=lambda i: (len(pairs[i][1]), len(pairs[i][0])))
    scored: dict[int, TextScores] = {}
    num_passes = concurrent_batches(device)

    def pass_batch(start: int) -> None:
        for indices in _within_budget(model, pairs, by_length[start : start + BATCH_PAIRS], num_passes):
            pass_pairs(indices)

    def pass_pairs(indices: Sequence[int]) -> None:
        batch = Batch.from_ids(
            [pairs[i][0] for i in indices],
            [pairs[i][1] for i in indices],
            bos_id=special.bos_id,
            pad_id=special.pad_id,
        )
        openings = [opening_length(pairs[i][1], special) for i in indices]
        scored.update(zip(indices, _score_batch(model, batch.to(device), openings, num_passes), strict=True))
        on_batch(indices)
        let_others_run()

    side_by_side(pass_batch, range(0, len(by_length), BATCH_PAIRS), device)
    return [scored[index] for index in range(len(targets))]


def _within_budget(
    model: Seq2SeqModel, pairs: Sequence[tuple[Ids, Ids]], indices: Sequence[int], num_passes: int
) -> Iterator[Sequence[int]]:
    """The indices of pairs in batches of which `num_passes` together fit into the memory budget."""
    source, target = (max(len(pairs[index][side]) for index in indices) for side in (0, 1))
    rows = rows_within(model.pass_bytes(source, target), len(indices), num_passes)
    return (indices[first : first + rows] for first in range(0, len(indices), rows))


@torch.inference_mode()
def _score_batch(
    model: Seq2SeqModel, batch: Batch, openings: Sequence[int], num_passes: int
) -> Iterator[TextScores]:
    """The scores of the B texts of a batch, each without the tokens of its opening."""
    features, targets = model.features(batch)[batch.tgt_mask], batch.tgt_out[batch.tgt_mask]  # (M, D), (M,)
    rows = rows_within(FORCED_LOGITS_COPIES * 4 * model.vocab_size, len(features), num_passes)
    token_log_probs, confidences, hits = list[float](), list[float](), list[bool]()
    for part_features, ids in zip(features.split(rows), targets.split(rows), strict=True):
        log_probs = model.log_probs(model.project(part_features))
        best, best_ids = log_probs.max(dim=-1)
        token_log_probs += log_probs.gather(1, ids.unsqueeze(1)).squeeze(1).tolist()
        confidences += best.exp().tolist()
        hits += (best_ids == ids).tolist()
    first = 0
    for length, opening in zip(batch.tgt_mask.sum(dim=1).tolist(), openings, strict=True):
        span = slice(first + opening, first + length)
        yield TextScores(tuple(token_log_probs[span]), tuple(confidences[span]), tuple(hits[span]), opening)
        first += length


def perplexity(texts: Sequence[TextScores]) -> float:
    """exp of the mean negative log-likelihood of a token, end tokens included.

    Raises ValueError if there is no token.
    """
    tokens = sum(len(text.log_probs) for text in texts)
    if not tokens:
        raise ValueError("perplexity needs at least one token")
    return math.exp(min(-math.fsum(text.log_prob for text in texts) / tokens, 700.0))


@dataclass(frozen=True)
class ConfidenceBin:
    """Positions of references at which the most probable token has a similar probability."""

    low: float
    high: float
    count: int
    confidence: float  # mean probability of the most probable token
    accuracy: float  # share of positions at which that token is the reference's


@dataclass(frozen=True)
class Calibration:
    """The calibration over all positions of all references."""

    bins: tuple[ConfidenceBin, ...]  # the bins that are not empty
    error: float  # expected calibration error: mean gap between confidence and accuracy, weighted by count
    confidence: float
    accuracy: float


def calibration(texts: Sequence[TextScores]) -> Calibration:
    """Measure calibration in bins of equal width. Raises ValueError if there is no token."""
    confidence = np.array([value for text in texts for value in text.confidences])
    hits = np.array([hit for text in texts for hit in text.hits], dtype=float)
    if not len(confidence):
        raise ValueError("calibration needs at least one token")
    bins = NUM_CONFIDENCE_BINS
    indices = np.minimum((confidence * bins).astype(int), bins - 1)
    sums = (np.bincount(indices, weights, bins).tolist() for weights in (None, confidence, hits))
    groups = tuple(
        ConfidenceBin(index / bins, (index + 1) / bins, count, total / count, right / count)
        for index, (count, total, right) in enumerate(zip(*sums, strict=True))
        if count
    )
    error = sum(group.count * abs(group.confidence - group.accuracy) for group in groups) / len(confidence)
    return Calibration(groups, float(error), float(confidence.mean()), float(hits.mean()))

"""Statistics of a head's attention or a unit's values over many sentences, with teacher forcing.

Each number of a head has a baseline, equal attention to all source tokens: in short sentences such a head
also has weight on the diagonal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from models.batch import Batch
from models.budget import let_others_run
from models.inspection.dossier.ablation import HeadIndex, UnitIndex, check_part
from models.inspection.neighbours.states import Example, UnrolledStates, batch_of, batches, unroll
from models.inspection.question import InspectionError
from models.registry.checkpoint import Checkpoint

NUM_TENTHS = 10  # numbers of a profile, one for each tenth of a sentence
NUM_NAMED_TOKENS = 5  # tokens named as highest, and as lowest
MIN_OCCURRENCES = 3  # a rarer token is not named


@dataclass(frozen=True)
class AttentionMeans:
    """Means of a head's attention over steps."""

    entropy: float  # nats
    # The following fields are for texts only: the cells of a picture have no order.
    diagonal: float | None = None  # weight within 1 of the straight line from first to last token
    mirrored: float | None = None  # weight within 1 of the line from last to first
    end: float | None = None  # weight of the last token of the source, the end token
    profile: tuple[float, ...] | None = None  # weight of each tenth of the source, together 1


@dataclass(frozen=True)
class HeadRole:
    """The attention of a head."""

    steps: int
    head: AttentionMeans
    even: AttentionMeans  # the means under equal weights on all source tokens


@dataclass(frozen=True)
class UnitRole:
    """The values of a unit."""

    steps: int
    mean: float
    spread: float  # standard deviation
    position: float  # correlation with the position in the output, -1 to 1; 0 if either is constant
    profile: tuple[float, ...]  # its mean in each tenth of the output
    highest: tuple[tuple[int, float], ...]  # the tokens before which it is highest, and its mean there
    lowest: tuple[tuple[int, float], ...]


def head_role(checkpoint: Checkpoint, part: HeadIndex, examples: Sequence[Example]) -> HeadRole:
    """The role of a head over at least one sentence. Raises InspectionError."""
    steps, sums = 0, torch.zeros(2, 4 + NUM_TENTHS, dtype=torch.float64)
    for batch, unrolled in _unrolled_batches(checkpoint, examples):
        check_part(checkpoint.model, part, unrolled.features.shape[-1])
        assert unrolled.attention is not None
        weights = unrolled.attention[:, :, part.layer, part.head].double()
        mask = unrolled.mask.double().unsqueeze(1)
        even = (mask / mask.sum(dim=2, keepdim=True)).expand_as(weights)
        targets = batch.tgt_mask
        sums += torch.stack([_sums(attention, unrolled.mask, targets) for attention in (weights, even)]).cpu()
        steps += int(targets.sum())
    pictures = checkpoint.tokenizer.picture is not None
    head, even_means = (_attention_means((row / steps).tolist(), pictures) for row in sums)
    return HeadRole(steps, head, even_means)


def _attention_means(means: Sequence[float], pictures: bool) -> AttentionMeans:
    entropy, diagonal, mirrored, end, *profile = means
    if pictures:
        return AttentionMeans(entropy)
    return AttentionMeans(entropy, diagonal, mirrored, end, tuple(profile))


def _sums(weights: Tensor, source_mask: Tensor, target_mask: Tensor) -> Tensor:
    """The fields of AttentionMeans, summed over steps: (4 + NUM_TENTHS,).

    weights (B, T, S), source_mask (B, S) bool, target_mask (B, T) bool.
    """
    sources, targets = source_mask.sum(dim=1), target_mask.sum(dim=1)
    positions = torch.arange(weights.shape[2], device=weights.device)  # (S,)
    steps = torch.arange(weights.shape[1], device=weights.device)  # (T,)
    line = steps * ((sources - 1) / (targets - 1).clamp_min(1)).unsqueeze(1)  # (B, T)
    last = (sources - 1).view(-1, 1, 1)
    inside = (positions - line.unsqueeze(2)).abs() <= 1
    mirrored = (last - positions - line.unsqueeze(2)).abs() <= 1
    numbers = torch.stack(
        [
            torch.special.entr(weights).sum(dim=2),
            (weights * inside).sum(dim=2),
            (weights * mirrored).sum(dim=2),
            (weights * (positions == last)).sum(dim=2),
        ],
        dim=2,
    )
    profile = weights @ tenths(source_mask)
    return torch.cat((numbers, profile), dim=2)[target_mask].sum(dim=0)


def tenths(mask: Tensor) -> Tensor:
    """The share of each token in each tenth of its sentence: (B, N) bool -> (B, N, NUM_TENTHS) float64.

    Each token of a sentence of five lies half in one tenth and half in the next; padding lies in none.
    """
    length = mask.sum(dim=1).view(-1, 1, 1).double()
    positions = torch.arange(mask.shape[1], device=mask.device, dtype=torch.float64).view(1, -1, 1)
    tenth = torch.arange(NUM_TENTHS, device=mask.device, dtype=torch.float64)
    begins = torch.maximum(positions / length, tenth / NUM_TENTHS)
    ends = torch.minimum((positions + 1) / length, (tenth + 1) / NUM_TENTHS)
    return (ends - begins).clamp_min(0) * length * mask.unsqueeze(2)


def unit_role(checkpoint: Checkpoint, part: UnitIndex, examples: Sequence[Example]) -> UnitRole:
    """The role of a unit over at least one sentence. Raises InspectionError."""
    values, places, tokens, shares = [], [], [], []
    for batch, unrolled in _unrolled_batches(checkpoint, examples):
        check_part(checkpoint.model, part, unrolled.features.shape[-1])
        mask = batch.tgt_mask
        values.append(unrolled.features[..., part.unit][mask].double().cpu())
        tokens.append(batch.tgt_out[mask].cpu())
        shares.append(tenths(mask)[mask].cpu())  # (N, NUM_TENTHS)
        middles = (mask.cpu().cumsum(dim=1).double() - 0.5) / mask.cpu().sum(dim=1, keepdim=True)
        places.append(middles[mask.cpu()])
    value, position, share = torch.cat(values), torch.cat(places), torch.cat(shares)
    by_tenth = value @ share / share.sum(dim=0).clamp_min(1e-12)
    means = _means(value, torch.cat(tokens))
    return UnitRole(
        steps=len(value),
        mean=float(value.mean()),
        spread=float(value.std(correction=0)),
        position=_correlation(value, position),
        profile=tuple(by_tenth.tolist()),
        highest=tuple(sorted(means, key=lambda pair: -pair[1])[:NUM_NAMED_TOKENS]),
        lowest=tuple(sorted(means, key=lambda pair: pair[1])[:NUM_NAMED_TOKENS]),
    )


def _means(values: Tensor, tokens: Tensor) -> list[tuple[int, float]]:
    """The mean value at the step of each token that occurs often enough, by id."""
    ids, indices, counts = tokens.unique(return_inverse=True, return_counts=True)
    sums = torch.zeros(len(ids), dtype=values.dtype).index_add(0, indices, values)
    often = counts >= min(MIN_OCCURRENCES, int(counts.max()))
    return list(zip(ids[often].tolist(), (sums / counts)[often].tolist(), strict=True))


def _correlation(a: Tensor, b: Tensor) -> float:
    a, b = a - a.mean(), b - b.mean()
    length = float(a.norm() * b.norm())
    return float(a @ b) / length if length > 1e-12 else 0.0


def _unrolled_batches(
    checkpoint: Checkpoint, examples: Sequence[Example]
) -> Iterator[tuple[Batch, UnrolledStates]]:
    """Yield the unrolled batches. Raises InspectionError if there is no sentence."""
    if not examples:
        raise InspectionError(
            "no_sentence_for_dossier", "There is no sentence that this network can read and write."
        )
    for indices in batches(examples):
        let_others_run()
        batch = batch_of(checkpoint, [examples[i] for i in indices])
        yield batch, unroll(checkpoint.model, batch)

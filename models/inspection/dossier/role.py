"""What a head looks at, or when a unit is high, over many sentences: teacher-forced, in numbers.

Beside each number of a head stands what even attention to the whole source would have: a head that looks
everywhere has a diagonal too, in short sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from models.batch import Batch
from models.budget import rest
from models.inspection.dossier.without import HeadIndex, UnitIndex, check_part
from models.inspection.neighbours.states import Example, Unfolded, batch_of, batches, unfold
from models.inspection.question import InspectionError
from models.registry.checkpoint import Checkpoint

TENTHS = 10  # of a sentence, of which a profile consists
TOKENS = 5  # that are named where a unit is highest, and lowest
SEEN = 3  # times that such a token must have been written


@dataclass(frozen=True)
class AttentionMeans:
    """How attention lies, in means over steps."""

    entropy: float  # nats
    # The rest is of texts alone: the cells of a picture stand in no line.
    diagonal: float | None = None  # weight within 1 of the straight line from first to last token
    mirrored: float | None = None  # weight within 1 of the line from last to first
    end: float | None = None  # weight of the last token of the source, the end token
    profile: tuple[float, ...] | None = None  # weight of each tenth of the source, together 1


@dataclass(frozen=True)
class HeadRole:
    """What a head looks at."""

    steps: int
    head: AttentionMeans
    even: AttentionMeans  # what the same weight for each token of the source would have


@dataclass(frozen=True)
class UnitRole:
    """When a unit is high."""

    steps: int
    mean: float
    spread: float  # standard deviation
    position: float  # correlation with the place in the output, from -1 to 1; 0 if either never changes
    profile: tuple[float, ...]  # its mean in each tenth of the output
    highest: tuple[tuple[int, float], ...]  # the tokens before which it is highest, and its mean there
    lowest: tuple[tuple[int, float], ...]


def head_role(checkpoint: Checkpoint, part: HeadIndex, found: Sequence[Example]) -> HeadRole:
    """Over some sentences, at least one. Raises InspectionError."""
    steps, seen = 0, torch.zeros(2, 4 + TENTHS, dtype=torch.float64)
    for batch, unfolded in _unfolded(checkpoint, found):
        check_part(checkpoint.model, part, unfolded.features.shape[-1])
        assert unfolded.attention is not None
        weights = unfolded.attention[:, :, part.layer, part.head].double()
        mask = unfolded.mask.double().unsqueeze(1)
        even = (mask / mask.sum(dim=2, keepdim=True)).expand_as(weights)
        written = batch.tgt_mask
        seen += torch.stack([_sums(item, unfolded.mask, written) for item in (weights, even)]).cpu()
        steps += int(written.sum())
    pictures = checkpoint.tokenizer.picture is not None
    head, even_looks = (_attention_means((row / steps).tolist(), pictures) for row in seen)
    return HeadRole(steps, head, even_looks)


def _attention_means(means: Sequence[float], pictures: bool) -> AttentionMeans:
    entropy, diagonal, mirrored, end, *profile = means
    if pictures:
        return AttentionMeans(entropy)
    return AttentionMeans(entropy, diagonal, mirrored, end, tuple(profile))


def _sums(weights: Tensor, read: Tensor, written: Tensor) -> Tensor:
    """The fields of AttentionMeans, summed over steps: (4 + TENTHS,).

    weights (B, T, S), read (B, S) bool, written (B, T) bool.
    """
    sources, targets = read.sum(dim=1), written.sum(dim=1)
    place = torch.arange(weights.shape[2], device=weights.device)  # (S,)
    step = torch.arange(weights.shape[1], device=weights.device)  # (T,)
    line = step * ((sources - 1) / (targets - 1).clamp_min(1)).unsqueeze(1)  # (B, T)
    last = (sources - 1).view(-1, 1, 1)
    inside = (place - line.unsqueeze(2)).abs() <= 1
    mirrored = (last - place - line.unsqueeze(2)).abs() <= 1
    of_each = torch.stack(
        [
            torch.special.entr(weights).sum(dim=2),
            (weights * inside).sum(dim=2),
            (weights * mirrored).sum(dim=2),
            (weights * (place == last)).sum(dim=2),
        ],
        dim=2,
    )
    profile = weights @ tenths(read)
    return torch.cat((of_each, profile), dim=2)[written].sum(dim=0)


def tenths(mask: Tensor) -> Tensor:
    """How much of each token lies in each tenth of its sentence: (B, N) bool -> (B, N, TENTHS) float64.

    A token of a sentence of five lies in two of them, half in each; the padding in none.
    """
    length = mask.sum(dim=1).view(-1, 1, 1).double()
    place = torch.arange(mask.shape[1], device=mask.device, dtype=torch.float64).view(1, -1, 1)
    tenth = torch.arange(TENTHS, device=mask.device, dtype=torch.float64)
    begins = torch.maximum(place / length, tenth / TENTHS)
    ends = torch.minimum((place + 1) / length, (tenth + 1) / TENTHS)
    return (ends - begins).clamp_min(0) * length * mask.unsqueeze(2)


def unit_role(checkpoint: Checkpoint, part: UnitIndex, found: Sequence[Example]) -> UnitRole:
    """Over some sentences, at least one. Raises InspectionError."""
    values, places, tokens, shares = [], [], [], []
    for batch, unfolded in _unfolded(checkpoint, found):
        check_part(checkpoint.model, part, unfolded.features.shape[-1])
        written = batch.tgt_mask
        values.append(unfolded.features[..., part.unit][written].double().cpu())
        tokens.append(batch.tgt_out[written].cpu())
        shares.append(tenths(written)[written].cpu())  # (N, TENTHS)
        middles = (written.cpu().cumsum(dim=1).double() - 0.5) / written.cpu().sum(dim=1, keepdim=True)
        places.append(middles[written.cpu()])
    value, place, share = torch.cat(values), torch.cat(places), torch.cat(shares)
    by_tenth = value @ share / share.sum(dim=0).clamp_min(1e-12)
    means = _means(value, torch.cat(tokens))
    return UnitRole(
        steps=len(value),
        mean=float(value.mean()),
        spread=float(value.std(correction=0)),
        position=_correlation(value, place),
        profile=tuple(by_tenth.tolist()),
        highest=tuple(sorted(means, key=lambda item: -item[1])[:TOKENS]),
        lowest=tuple(sorted(means, key=lambda item: item[1])[:TOKENS]),
    )


def _means(values: Tensor, tokens: Tensor) -> list[tuple[int, float]]:
    """The mean before each token that was written often enough, by id."""
    ids, which, counts = tokens.unique(return_inverse=True, return_counts=True)
    sums = torch.zeros(len(ids), dtype=values.dtype).index_add(0, which, values)
    often = counts >= min(SEEN, int(counts.max()))
    return list(zip(ids[often].tolist(), (sums / counts)[often].tolist(), strict=True))


def _correlation(one: Tensor, other: Tensor) -> float:
    one, other = one - one.mean(), other - other.mean()
    length = float(one.norm() * other.norm())
    return float(one @ other) / length if length > 1e-12 else 0.0


def _unfolded(checkpoint: Checkpoint, found: Sequence[Example]) -> Iterator[tuple[Batch, Unfolded]]:
    """Batch after batch. Raises InspectionError if there is no sentence."""
    if not found:
        raise InspectionError(
            "no_sentence_for_dossier", "There is no sentence that this network can read and write."
        )
    for chosen in batches(found):
        rest()
        batch = batch_of(checkpoint, [found[i] for i in chosen])
        yield batch, unfold(checkpoint.model, batch)

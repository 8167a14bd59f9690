"""A network's embeddings: principal components for a drawing, and nearest neighbours in the full space.

Two components show only a part of the variance, so their shares are given, and neighbours are never computed
from the drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from models.inspection.neighbours.search import COSINE, nearest
from models.inspection.question import InspectionError
from models.networks.base import EmbeddingModel, Seq2SeqModel
from models.tokenization.tokenizer import Tokenizer

SOURCE_TABLE, TARGET_TABLE, SHARED_TABLE = "source", "target", "shared"
BLOCK_ROWS = 8192  # multiplied at once


@dataclass(frozen=True)
class TokenNeighbour:
    """A token whose vector is near to another."""

    token: int
    cosine: float


@dataclass(frozen=True)
class Projection:
    """Principal components of N vectors (Pearson 1901), the one with most variance first."""

    mean: Tensor  # (E,) float64
    components: Tensor  # (C, E) float64, orthonormal; the largest number of each is positive
    variance_shares: tuple[float, ...]  # C shares of the variance; all E of them add up to 1

    def project(self, vectors: Tensor) -> Tensor:
        """Coordinates on the components: (..., E) -> (..., C) float64."""
        return (vectors.double() - self.mean) @ self.components.T


def tables(model: Seq2SeqModel, tokenizer: Tokenizer) -> dict[str, Tensor]:
    """The vectors of all ids (V, E) by side; one table if source and target share it.

    A network that reads pictures has only the table of the target. Raises InspectionError for a network that
    does not embed its tokens.
    """
    if not isinstance(model, EmbeddingModel):
        raise InspectionError(
            "no_embeddings", "This network does not read its tokens as vectors, so there are none to show."
        )
    device = next(model.parameters()).device
    ids = torch.arange(min(model.vocab_size, tokenizer.vocab_size), device=device)
    with torch.inference_mode():
        target = model.embed_target(ids).float().cpu()
        if tokenizer.picture is not None:
            return {TARGET_TABLE: target}
        source = model.embed_source(ids.unsqueeze(0))[0].float().cpu()
    return {SHARED_TABLE: target} if _same(source, target) else {SOURCE_TABLE: source, TARGET_TABLE: target}


def _same(source: Tensor, target: Tensor) -> bool:
    """Whether both are one table, up to a factor that some networks apply to one side."""
    if source.shape != target.shape:
        return False
    largest = int(target.abs().argmax())
    scale = source.flatten()[largest] / target.flatten()[largest]
    return bool(torch.allclose(source, target * scale, rtol=1e-4, atol=1e-6))


def principal_components(vectors: Tensor) -> Projection:
    """The principal components of N vectors (N, E), with fixed signs, so that a drawing is never mirrored.

    They are the singular vectors of the (E, E) matrix X^T X of the centred vectors, which is small for any
    vocabulary. Raises ValueError for fewer than two vectors.
    """
    if len(vectors) < 2:
        raise ValueError(f"vectors must be at least two; got {len(vectors)}")
    mean = vectors.double().mean(dim=0)
    square = torch.zeros(vectors.shape[1], vectors.shape[1], dtype=torch.float64)
    for block in vectors.split(BLOCK_ROWS):
        centred = block.double() - mean
        square += centred.T @ centred
    _, variances, components = torch.linalg.svd(square)
    largest = components.gather(1, components.abs().argmax(dim=1, keepdim=True))
    total = float(variances.sum())
    shares = [float(variance) / total if total else 0.0 for variance in variances]
    return Projection(mean, components * torch.where(largest < 0, -1.0, 1.0), tuple(shares))


def word_vector(table: Tensor, ids: Sequence[int]) -> Tensor:
    """The vector of a word: the mean (E,) over its tokens. Raises ValueError if there are none."""
    if not ids:
        raise ValueError("ids must name at least one token")
    return table[torch.tensor(list(ids))].mean(dim=0)


def word_ids(tokenizer: Tokenizer, word: str) -> tuple[int, ...]:
    """The token ids of a word, without the end token; `tokenizer` is that of its side."""
    return tuple(token for token in tokenizer.encode(word).ids if token != tokenizer.eos_id)


def cosine(a: Tensor, b: Tensor) -> float:
    """Cosine of the angle between two vectors (E,); 0 if either is zero."""
    return float(torch.nn.functional.cosine_similarity(a.double(), b.double(), dim=0, eps=1e-12))


def nearest_tokens(
    table: Tensor, vector: Tensor, k: int, without: Sequence[int] = ()
) -> tuple[TokenNeighbour, ...]:
    """The k tokens with the largest cosine to a vector (E,), the nearest first.

    `without`: ids that are left out, such as the token itself and those that stand for no text.
    """
    rows, distances = nearest(table, vector, k + len(set(without)), COSINE)
    neighbours = [
        TokenNeighbour(row, 1 - distance)
        for row, distance in zip(rows.tolist(), distances.tolist(), strict=True)
        if row not in set(without)
    ]
    return tuple(neighbours[:k])


@dataclass(frozen=True)
class Space:
    """One table of a network, ready to be drawn and searched."""

    table: Tensor  # (V, E)
    projection: Projection
    special: frozenset[int]  # ids that stand for no text and are never neighbours


def spaces(model: Seq2SeqModel, tokenizer: Tokenizer) -> dict[str, Space]:
    """Each table with the principal components of its text tokens. Raises InspectionError."""
    special = frozenset(tokenizer.special_ids)
    by_side = {}
    for side, table in tables(model, tokenizer).items():
        text = [token for token in range(len(table)) if token not in special]
        by_side[side] = Space(table, principal_components(table[torch.tensor(text)]), special)
    return by_side

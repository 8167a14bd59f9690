"""Facts about the bag of words around a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.labs.word_vectors import VectorResult


def bag_facts(counted: VectorResult, row: int, name: str) -> dict[str, float | str]:
    """Return how many counts of a word are 0, and the two words that occur around it most often."""
    counts = counted.vectors[row]
    _, most = counts.topk(min(2, len(counts)))
    words = {f"{name}_{rank}": counted.vocabulary[index] for rank, index in enumerate(most.tolist(), 1)}
    return {f"{name}_zeros": int((counts == 0).sum()), **words}

"""How much one epoch of a run is, counted by the code that makes its batches. Knows no torch."""

from __future__ import annotations

from dataclasses import dataclass

from models.corpus.statistics import TokenLengths
from models.training.loop.batches import bucketed, short_enough
from models.training.recipe.config import TrainingConfig


@dataclass(frozen=True)
class Epoch:
    """What a run does in one epoch."""

    steps: int
    target_tokens: int  # that count towards the loss


@dataclass(frozen=True)
class Workload:
    """The training pairs of a run as lengths: all of them, or an even sample of very many."""

    lengths: TokenLengths
    stands_for: int = 1  # pairs that each pair of the sample stands for

    def epoch(self, config: TrainingConfig) -> Epoch:
        """What the recipe makes of the pairs; exact unless they are a sample. Raises DataError."""
        sources, targets = self.lengths.sources, self.lengths.targets
        kept = short_enough(sources, targets, config.data.max_pieces) * self.stands_for
        batches = bucketed([sources[i] for i in kept], [targets[i] for i in kept], config.batch_tokens, None)
        return Epoch(sum(1 for _ in batches), sum(targets[i] for i in kept))

"""The steps and tokens of an epoch, counted by the code that makes batches. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass

from models.corpus.statistics import TokenLengths
from models.training.data.batches import bucket_by_length, short_pair_indices
from models.training.recipe.config import TrainingConfig


@dataclass(frozen=True)
class Epoch:
    """The work of one epoch."""

    steps: int
    target_tokens: int  # target tokens that count towards the loss


@dataclass(frozen=True)
class Workload:
    """The lengths of a run's training pairs, or of an even sample of them."""

    lengths: TokenLengths
    stands_for: int = 1  # training pairs per pair of the sample

    def epoch(self, config: TrainingConfig) -> Epoch:
        """The work of one epoch by a recipe; an estimate for a sample. Raises DataError."""
        sources, targets = self.lengths.sources, self.lengths.targets
        indices = short_pair_indices(sources, targets, config.data.max_pieces) * self.stands_for
        batches = bucket_by_length(
            [sources[i] for i in indices], [targets[i] for i in indices], config.batch_tokens, None
        )
        return Epoch(sum(1 for _ in batches), sum(targets[i] for i in indices))

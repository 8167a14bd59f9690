"""What a search with one row for each sentence finds out for a wider one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.budget import rest
from models.decoding.search.beam import NEVER, Finished, Pool
from models.decoding.search.step import SearchStep
from models.decoding.strategies.base import DecodingStrategy

if TYPE_CHECKING:
    from torch import Tensor

# Of a key. Batches of other shapes sum in another order: this is far more than that changes, and leaves
# hardly a row more.
SLACK = 1e-4


@dataclass(frozen=True)
class Scouted:
    """What is known of one sentence before its search."""

    best: Finished | None  # of the scout; None: nothing could end
    floor: float  # the key below which nothing need be looked at
    contested: int  # the last step at which anything beside the best might reach that; -1: no step

    @property
    def is_proven(self) -> bool:
        """True if a wider search would find just this."""
        return self.contested < 0


def scouted(steps: Iterable[SearchStep], strategy: DecodingStrategy, max_length: int) -> list[Scouted]:
    """What the steps of `strategy.narrow()` tell `strategy` of each sentence."""
    import torch  # not before a search begins

    pools: Sequence[Pool] = ()
    rivals: list[Tensor] = []  # of each step (B,), the highest key that any of them may come to
    for step in steps:
        rest()
        pools = step.pools
        penalty = strategy.greatest_penalty(step.index, max_length)
        assert penalty is not None  # else there would be nothing to scout
        # All other sequences leave the row's way by a candidate that ranks below the first.
        order = step.candidates.order[:, 1].cpu()
        reached = torch.full((len(pools),), NEVER, dtype=order.dtype)
        rivals.append(reached.index_copy(0, torch.tensor(step.sentences), order / penalty))
    best = [next(iter(pool.finished), None) for pool in pools]
    floors = [NEVER if each is None else each.key - SLACK * max(1.0, abs(each.key)) for each in best]
    contested = torch.stack(rivals) >= torch.tensor(floors)  # (T, B)
    last = (contested * torch.arange(1, len(rivals) + 1).unsqueeze(1)).amax(dim=0) - 1
    return [Scouted(*each) for each in zip(best, floors, last.tolist(), strict=True)]

"""Expansions that a search need not ask its network for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from models.decoding.search.beam import Candidates, ranked_top_k


@dataclass(frozen=True)
class Known:
    """The best expansions of one row of each sentence, or of none: -inf in `order` then."""

    rows: list[int]  # A rows of the beam, or EMPTY
    candidates: Candidates  # A x C
    own: Tensor  # (A, C), the model's own cumulative log-probabilities

    def added_to(self, found: Candidates, own: Tensor) -> tuple[Candidates, Tensor]:
        """The best of these and of all that was found in the other rows, as many as that, and their own."""
        kept = found.order.shape[1]
        order, at = ranked_top_k(torch.cat((found.order, self.candidates.order), dim=1), kept)
        same = own is found.order and self.own is self.candidates.order
        parents, tokens = (
            torch.cat((getattr(found, name), getattr(self.candidates, name)), dim=1).gather(1, at)
            for name in ("parents", "tokens")
        )
        both = order if same else torch.cat((own, self.own), dim=1).gather(1, at)
        return replace(found, parents=parents, tokens=tokens, order=order, row_top=None), both

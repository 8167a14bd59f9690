"""The conditions of a search, and the tokens that it has to take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from torch import Tensor

from models.decoding.search.bans import Constraint
from models.decoding.search.words import RequiredWords
from models.decoding.status import Reason


@dataclass(frozen=True)
class ForcedToken:
    """The one token that a step may take."""

    token: int
    reason: Reason  # FORCED: by the user; OPENING: begins every output; CLOSING: ends an output at the limit

    @property
    def is_set_by_checkpoint(self) -> bool:
        """Whether the checkpoint, not the user, forces the token, which then counts as certain."""
        return self.reason is not Reason.FORCED


@dataclass(frozen=True)
class SearchConditions:
    """The conditions that a search must respect, and whether only its best output is needed."""

    bos_id: int  # the first step reads it; it is not part of the output
    eos_id: int
    max_length: int  # tokens generated, the end token included
    constraints: Sequence[Constraint] = ()  # they change the distribution of the next token
    forced: Sequence[int] = ()  # the first tokens, whatever the model predicts
    # (1, L, H, S) by step: cross-attention that replaces the model's; NaN leaves the model's
    attention_overrides: Mapping[int, Tensor] = field(default_factory=dict)
    only_best: bool = False  # True: the caller needs only the best sequence, so the search may end early
    words: RequiredWords | None = None  # the required words
    opening: int = 0  # number of the forced tokens that begin every output of the checkpoint
    forces_end: bool = False  # an output that reaches the length limit gets the end token there

    def forced_token(self, length: int) -> ForcedToken | None:
        """The token that must follow `length` generated ones, if there is one."""
        if length < len(self.forced):
            reason = Reason.OPENING if length < self.opening else Reason.FORCED
            return ForcedToken(self.forced[length], reason)
        if self.forces_end and length + 1 == self.max_length:
            return ForcedToken(self.eos_id, Reason.CLOSING)
        return None

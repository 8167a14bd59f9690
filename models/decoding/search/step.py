"""The conditions of a search, the tokens that it has to take, and the record of one step."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from torch import Tensor

from models.decoding.search.beam import Beam, Candidates, Pool
from models.decoding.search.constraints import AppliedBan, Constraint
from models.decoding.search.words import RequiredWords
from models.decoding.status import Reason


@dataclass(frozen=True)
class ForcedToken:
    """The one token that a step may take."""

    token: int
    reason: Reason  # FORCED: by the user; OPENING: begins every output; CLOSING: ends an output at the limit


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


class StepOutcome(NamedTuple):
    """The C candidates of one sentence by rank, and which of them go on or end; all others are dropped."""

    rank_scores: Sequence[float]  # C: the search ranks by these
    cumulative: Sequence[float]  # C, the model's log-probability of each with its prefix
    parents: Sequence[int]  # C, rows of the beam
    tokens: Sequence[int]  # C
    reasons: list[Reason | None] | None  # C; those in EXCLUDING_REASONS drop the candidate
    survivors: Sequence[int]  # ranks that make the next rows, PADDING where a group has fewer
    finished: list[int]  # ranks that finished now
    stopped: list[int]  # ranks that would have gone on, but their group is done

    def subset(self, ranks: Sequence[int]) -> StepOutcome:
        """Return the scores, parents and tokens of these candidates only."""
        rank_scores, cumulative = (
            [column[rank] for rank in ranks] for column in (self.rank_scores, self.cumulative)
        )
        parents, tokens = ([column[rank] for rank in ranks] for column in (self.parents, self.tokens))
        return StepOutcome(rank_scores, cumulative, parents, tokens, None, [], [], []).pack()

    def pack(self) -> StepOutcome:
        """Return the same numbers as arrays, which take a quarter of the memory while candidates wait."""
        return self._replace(
            rank_scores=array("d", self.rank_scores),
            cumulative=array("d", self.cumulative),
            parents=array("q", self.parents),
            tokens=array("q", self.tokens),
            survivors=array("q", self.survivors),
        )


@dataclass(frozen=True)
class Expansion:
    """The candidates of one step, and the distributions that they come from."""

    log_probs: Tensor  # (B, K, V), the model's own; an opening or closing token has probability 1
    row_top_unchanged: bool  # True: no constraint changed `candidates.row_top`
    processed: Tensor  # (B, K, V), after the constraints except `ban`; `log_probs` itself if unchanged
    ban: AppliedBan  # the tokens that no row could take
    candidates: Candidates  # B x C
    cumulative: Tensor  # (B, C), the model's log-probability of each candidate with its prefix
    forced: ForcedToken | None  # the token that this step has to take


@dataclass(frozen=True)
class SearchStep(Expansion):
    """One step of a search, for the B sentences that are still active."""

    number: int  # the step's number in the search, from 0
    sentences: tuple[int, ...]  # B positions in the batch
    beam: Beam  # B x K rows, before the step
    attention: Tensor | None  # (B, K, L, H, S), cross-attention of the same rows, as it was used
    outcomes: tuple[StepOutcome, ...]  # B
    pools: tuple[Pool, ...]  # one for each sentence of the batch; all steps share them
    expanded: int  # prefixes that the search has expanded so far
    gave_up: bool = False  # True: the search ends here without proof that no other output could have won

    @property
    def length(self) -> int:
        """Tokens of the rows before the step; a depth-first search returns to smaller lengths."""
        return self.beam.length

"""What every strategy is, and the ranking that most of them share. Loads no torch before it searches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from models.decoding.description import Description
from models.decoding.search.beam import (
    NEVER,
    Beam,
    BeamHypotheses,
    Candidates,
    Ranking,
    Selection,
    ranked_top_k,
    ranked_totals,
)
from models.decoding.search.length_normalizer import LengthNormalizer
from models.decoding.status import EXCLUDES
from models.decoding.trace import Hypothesis, Utilities

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from models.decoding.search.step import SearchStep

MAX_ROWS = 200
FEW = 100_000  # probabilities up to which ranking row by row is no slower than ranking all at once
ROW_TOP = 10  # of each row, at least


class DecodingStrategy(ABC):
    """What a search asks of a strategy. Subclasses are frozen dataclasses: their fields are the settings."""

    name: ClassVar[str]  # as requests and traces call it
    description: ClassVar[Description]
    reorders: ClassVar[bool] = False  # True: ranks by something else than what it is given
    competes: ClassVar[bool] = True  # False: a row takes its token without a competition
    depth_first: ClassVar[bool] = False  # True: one sentence at a time, the newest rows first
    bounded: ClassVar[bool] = False  # True: a prefix that ranks below the finished sequences is given up
    groups: int = 1  # searches that run side by side in one sentence
    normalizer: LengthNormalizer = LengthNormalizer()  # ranks finished sequences

    @property
    @abstractmethod
    def width(self) -> int:
        """Live rows of a sentence; of a depth-first search, rows that are expanded together."""

    @property
    def num_starts(self) -> int:
        """Rows of a sentence at the first step."""
        return self.groups

    @property
    def pool_size(self) -> int:
        """Finished sequences that are kept."""
        return self.width

    @property
    def budget(self) -> int | None:
        """Prefixes that may be expanded before the search gives up; None = no limit."""
        return None

    @abstractmethod
    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """The candidates of a step, ranked; log_probs (B, K, V) are the model's, processed.

        Whatever is drawn is drawn for one sentence and serves all B: so a seed gives a sentence the same
        output whatever stands beside it, and outputs are no less independent than their sources. Where words
        must occur, `Beam.words` has expansions that belong among the candidates.
        """

    @property
    def can_wait(self) -> bool:
        """Whether a hypothesis without the words that must occur may go on beside one that has them."""
        return self.depth_first or (self.competes and self.width > self.groups)

    def judged(self, found: Candidates) -> Candidates:
        """The candidates of a step, of which some may be dropped for what others are worth."""
        return found

    def select(self, ranking: Ranking, hypotheses: BeamHypotheses) -> Selection:
        """The first `width` that do not end go on; an end counts if it ranks among the first `width`."""
        width = self.width // self.groups
        survivors: list[int] = []
        finished: list[int] = []
        order, ends, reasons = ranking
        for rank, value in enumerate(order):
            if rank >= width == len(survivors):
                break  # an end would rank too low, and all else finds no row
            if value == NEVER or (reasons is not None and reasons[rank] in EXCLUDES):
                continue
            if ends[rank]:
                if rank < width:
                    finished.append(rank)
            elif len(survivors) < width:
                survivors.append(rank)
        return Selection(survivors, finished)

    def basis(self, log_prob: float, order: float) -> float:
        """Of the model's own total and the running order, the one that finished sequences compete by."""
        return order

    @abstractmethod
    def is_done(self, best_running: float, length: int, hypotheses: BeamHypotheses, max_length: int) -> bool:
        """True if no running sequence of a group may enter its hypotheses; `length` tokens are generated.

        Only asked of a group that has no room left.
        """

    def greatest_penalty(self, length: int, max_length: int) -> float | None:
        """The most that totals of sequences of more than `length` tokens are divided by; None: unsaid.

        A promise: totals are never above 0 and never rise, so that no sequence that goes on from a total gets
        a higher key than the total over this. A search for the best alone may then end.
        """
        return None

    def check(self, vocab_size: int, steps: int) -> None:  # noqa: B027
        """Raises DecodingError if this cannot search all of `steps` tokens out of `vocab_size`."""

    def guided(
        self, steps: Callable[[DecodingStrategy], Iterable[SearchStep]], free_to_end: bool
    ) -> DecodingStrategy:
        """The strategy, knowing what others found: `steps` are those of the same search by another one.

        `free_to_end`: nothing forbids an output to end early.
        """
        return self

    def tightened(self, best: Hypothesis, left: int) -> DecodingStrategy | None:
        """What to search by anew after a budget was spent, with `left` prefixes of it; None: no more."""
        return None

    def reranked(self, hypotheses: Sequence[Hypothesis]) -> tuple[tuple[Hypothesis, ...], Utilities | None]:
        """The hypotheses in the order that this strategy promises, and what it compared them by."""
        return tuple(hypotheses), None

    def best_text(self, texts: Iterable[str]) -> str:
        """Of the texts found, best first, the one that `reranked` would put first; empty if there is none.

        Whoever looks at more than the first has no `greatest_penalty`, by which a search may end.
        """
        return next(iter(texts), "")


def best_expansions(log_probs: Tensor, beam: Beam, count: int) -> Candidates:
    """The `count` best of beam x vocabulary by the running order."""
    import torch  # not before a search begins

    vocab_size = log_probs.shape[2]
    if beam.words is not None:
        order, flat = beam.words.expansions(beam.order.unsqueeze(-1) + log_probs, count)
        return Candidates(flat // vocab_size, flat % vocab_size, order)
    if log_probs.shape[1] == 1:
        # By the tokens alone: added to a long total, numbers that are nearly equal would become equal.
        few = log_probs.numel() <= FEW
        top, ids = ranked_top_k(log_probs, max(count, ROW_TOP) if few else count)
        best, tokens = (item.squeeze(1)[:, :count] for item in (top, ids))
        row_top = (top, ids) if few else None
        return Candidates(torch.zeros_like(tokens), tokens, beam.order + best, row_top=row_top)
    if log_probs.numel() > FEW:
        order, flat = ranked_totals(beam.order, log_probs, count)
        return Candidates(flat // vocab_size, flat % vocab_size, order)
    # The best of all are among the best of each row, which a recorder wants to know anyway.
    top, ids = ranked_top_k(log_probs, max(count, ROW_TOP))  # (B, K, N)
    width = top.shape[2]
    order, flat = ranked_top_k((beam.order.unsqueeze(-1) + top).flatten(1), count)
    return Candidates(flat // width, ids.flatten(1).gather(1, flat), order, row_top=(top, ids))


def check_rows(name: str, value: int) -> None:
    """Raises ValueError unless 1 <= value <= MAX_ROWS."""
    if not 1 <= value <= MAX_ROWS:
        raise ValueError(f"{name} must be between 1 and {MAX_ROWS}; got {value}")


def all_above(ranking: Ranking, bound: float) -> Selection:
    """Whatever beats the bound goes on or is finished; what is finished raises it, unless it is -inf."""
    survivors: list[int] = []
    finished: list[int] = []
    for rank, (value, ends) in enumerate(zip(ranking.order, ranking.ends, strict=True)):
        if ends and value > bound:
            finished.append(rank)
            bound = max(bound, value) if bound > NEVER else bound
        elif value > bound:
            survivors.append(rank)
    return Selection(survivors, finished)

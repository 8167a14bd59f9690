"""The contract of a strategy, the ranking that most strategies share, and the normalisation by length.

Imports torch only in a search.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from models.decoding.description import Description
from models.decoding.search.beam import (
    NEG_INF,
    Beam,
    BeamHypotheses,
    Candidates,
    Ranking,
    Selection,
    WordCoverage,
    ranked_sums,
    ranked_top_k,
)
from models.decoding.status import EXCLUDING_REASONS
from models.decoding.trace import Hypothesis, Utilities

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from models.decoding.search.step import SearchStep

MAX_PARALLEL_OUTPUTS = 200
MAX_RANKED_BY_ROW = 100_000  # up to this many log-probabilities, ranking each row first is no slower
MIN_ROW_TOP = 10  # tokens that such a ranking returns for each row, at least
NORMALIZER_KINDS = ("power", "gnmt", "none")


@dataclass(frozen=True)
class LengthNormalizer:
    """score = log-probability / normaliser(length); never used to order the running beam.

    `power` is L^alpha, `gnmt` is ((5 + L) / 6)^alpha (Wu et al. 2016, equation 14), `none` is 1. L counts
    the generated tokens with the end token and without the start token. alpha = 0 is neutral; a positive
    one favours longer hypotheses.
    """

    kind: str = "power"
    alpha: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in NORMALIZER_KINDS:
            raise ValueError(f"normalizer must be one of {', '.join(NORMALIZER_KINDS)}; got {self.kind!r}")
        if not -10 <= self.alpha <= 10:
            raise ValueError(f"length_penalty must be between -10 and 10; got {self.alpha}")

    def __call__(self, log_prob: float, length: int) -> float:
        """The score of a sequence of `length` >= 1 tokens whose log-probability is `log_prob` nats."""
        return log_prob / self.penalty(length)

    def penalty(self, length: int) -> float:
        """The divisor of the log-probability of `length` >= 1 tokens."""
        if self.kind == "none":
            return 1.0
        base = float(length) if self.kind == "power" else (5 + length) / 6
        penalty: float = base**self.alpha
        return penalty


class DecodingStrategy(ABC):
    """The decisions of a search. Subclasses are frozen dataclasses whose fields are the settings."""

    name: ClassVar[str]  # its name in requests and traces
    description: ClassVar[Description]
    modifies_scores: ClassVar[bool] = False  # True: ranks by other numbers than log-probabilities
    rows_compete: ClassVar[bool] = True  # False: each row takes one token, whatever the other rows take
    depth_first: ClassVar[bool] = False  # True: one sentence at a time, the newest rows first
    bounded: ClassVar[bool] = False  # True: a prefix that ranks below the finished sequences is dropped
    num_groups: int = 1  # groups of rows that one sentence has; each is searched separately
    normalizer: LengthNormalizer = LengthNormalizer()  # ranks finished sequences

    @property
    @abstractmethod
    def width(self) -> int:
        """Live rows of a sentence; in a depth-first search, rows that are expanded together."""

    @property
    def num_starts(self) -> int:
        """Rows of a sentence at the first step."""
        return self.num_groups

    @property
    def pool_size(self) -> int:
        """The number of finished sequences that are kept."""
        return self.width

    @property
    def budget(self) -> int | None:
        """Prefixes that may be expanded before the search gives up; None = no limit."""
        return None

    @abstractmethod
    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """Return the ranked candidates of a step; log_probs (B, K, V) are the model's, after the constraints.

        Forbidden tokens are -inf there. Random numbers are drawn once and serve all B sentences, so that a
        seed gives a sentence the same output in every batch. If words are required, the candidates must
        include those that `Beam.words.expansions` returns.
        """

    def chances(self, log_probs: Tensor) -> Tensor:
        """Return the probabilities (..., V) by which the strategy ranks or draws the tokens of a row.

        log_probs (..., V) are those of `expand`. A strategy that draws overrides this, and draws from it.
        """
        return log_probs.exp()

    @property
    def allows_required_words(self) -> bool:
        """Whether hypotheses with and without a required word can go on side by side."""
        return self.depth_first or (self.rows_compete and self.width > self.num_groups)

    def apply_threshold(self, candidates: Candidates) -> Candidates:
        """Return the candidates with a reason for each one below the strategy's threshold, if it has one."""
        return candidates

    def select(self, ranking: Ranking, hypotheses: BeamHypotheses) -> Selection:
        """Select the first `width` that do not end; an end counts if it ranks among the first `width`."""
        width = self.width // self.num_groups
        survivors: list[int] = []
        finished: list[int] = []
        rank_scores, ends, reasons = ranking
        for rank, value in enumerate(rank_scores):
            if rank >= width == len(survivors):
                break  # all rows are taken, and an end token would rank too low
            if value == NEG_INF or (reasons is not None and reasons[rank] in EXCLUDING_REASONS):
                continue
            if ends[rank]:
                if rank < width:
                    finished.append(rank)
            elif len(survivors) < width:
                survivors.append(rank)
        return Selection(survivors, finished)

    def basis(self, log_prob: float, rank_score: float) -> float:
        """Return the value that ranks a finished hypothesis, before it is normalised by length."""
        return rank_score

    def is_done(self, best_running: float, length: int, hypotheses: BeamHypotheses, max_length: int) -> bool:
        """Return True if the search of a full group ends here; its running sequences are dropped.

        The rule may be a heuristic: with `early_stopping=True` a dropped sequence could still have won.
        length: tokens that are generated. A depth-first search does not ask: it ends when no row is left.
        """
        return True

    def greatest_penalty(self, length: int, max_length: int) -> float | None:
        """Return the largest length penalty of sequences longer than `length` tokens; None if unknown.

        A log-probability is never above 0, and a further token never raises it, so a prefix with
        log-probability p leads to keys of at most p / penalty. A search that wants only the best output may
        then end early.
        """
        return None

    def check(self, vocab_size: int, steps: int) -> None:  # noqa: B027
        """Raise DecodingError if there are too many outputs of at most `steps` tokens to search them all."""

    def prepare(
        self, steps: Callable[[DecodingStrategy], Iterable[SearchStep]], may_end_anywhere: bool
    ) -> DecodingStrategy:
        """Return this strategy, improved by the results of another one before the search begins.

        steps: runs the same search by another strategy. may_end_anywhere: no constraint delays the end token.
        """
        return self

    def retry(self, best: Hypothesis, budget_left: int) -> DecodingStrategy | None:
        """Return the strategy of a second search, if this one left candidates out and budget remains.

        best: the best hypothesis so far; budget_left: prefixes that may still be expanded.
        None: no second search.
        """
        return None

    def rerank(self, hypotheses: Sequence[Hypothesis]) -> tuple[tuple[Hypothesis, ...], Utilities | None]:
        """Return the hypotheses in the final order, and the utilities that they were compared by, if any."""
        return tuple(hypotheses), None

    def best_text(self, texts: Iterable[str]) -> str:
        """Return the text that `rerank` would put first, or "" if there is no text; texts are best first.

        A strategy that compares several texts must return None as its `greatest_penalty`: otherwise a search
        may end early, with the first text only.
        """
        return next(iter(texts), "")


def best_expansions(log_probs: Tensor, beam: Beam, count: int) -> Candidates:
    """Return the `count` expansions of the beam by one token that have the highest rank scores.

    log_probs (B, K, V): the model's, after the constraints. With other values use `ranked_expansions`.
    """
    import torch  # loaded only when a search begins

    vocab_size = log_probs.shape[2]
    if beam.words is not None:
        rank_scores, flat = beam.words.expansions(beam.rank_scores.unsqueeze(-1) + log_probs, count)
        return Candidates(flat // vocab_size, flat % vocab_size, rank_scores)
    if log_probs.shape[1] == 1:
        # Rank the tokens before adding the row's score: adding a large score first could round nearly equal
        # numbers to the same value.
        by_row = log_probs.numel() <= MAX_RANKED_BY_ROW
        top, ids = ranked_top_k(log_probs, max(count, MIN_ROW_TOP) if by_row else count)
        best, tokens = (values.squeeze(1)[:, :count] for values in (top, ids))
        row_top = (top, ids) if by_row else None
        return Candidates(torch.zeros_like(tokens), tokens, beam.rank_scores + best, row_top=row_top)
    if log_probs.numel() > MAX_RANKED_BY_ROW:
        rank_scores, flat = ranked_sums(beam.rank_scores, log_probs, count)
        return Candidates(flat // vocab_size, flat % vocab_size, rank_scores)
    # The best of all rows are among the best of each row, and a recorder needs those too.
    top, ids = ranked_top_k(log_probs, max(count, MIN_ROW_TOP))  # (B, K, N)
    width = top.shape[2]
    rank_scores, flat = ranked_top_k((beam.rank_scores.unsqueeze(-1) + top).flatten(1), count)
    return Candidates(flat // width, ids.flatten(1).gather(1, flat), rank_scores, row_top=(top, ids))


def ranked_expansions(rank_scores: Tensor, words: WordCoverage | None, count: int) -> tuple[Tensor, Tensor]:
    """Return the `count` best of rank_scores (B, K, V), and those that the required words need.

    Values and indices into K * V.
    """
    return (
        ranked_top_k(rank_scores.flatten(1), count) if words is None else words.expansions(rank_scores, count)
    )


def all_above(ranking: Ranking, bound: float) -> Selection:
    """Select the candidates above the bound. A finished one raises the bound; a bound of -inf stays."""
    survivors: list[int] = []
    finished: list[int] = []
    for rank, (value, ends) in enumerate(zip(ranking.rank_scores, ranking.ends, strict=True)):
        if ends and value > bound:
            finished.append(rank)
            bound = max(bound, value) if bound > NEG_INF else bound
        elif value > bound:
            survivors.append(rank)
    return Selection(survivors, finished)

"""The rows that a search holds between two steps, and the candidates for the next one.

Imports torch only when a search begins, since the page names strategies before that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import torch
    from torch import Tensor

from models.decoding.status import Reason

NEG_INF = float("-inf")
PADDING = -1  # the rank of a row that no candidate fills
MAX_SORTED_VALUES = 256  # up to this many values, sorting is faster than `topk` with a search for ties
BLOCK_SIZE = 64  # values
MIN_VALUES_FOR_BLOCKS = 100_000


class WordCoverage(Protocol):
    """How many tokens of the required words the rows of a beam have; see `WordProgress`."""

    def rows(self, group: slice) -> WordCoverage:
        """Return the coverage of some rows of each sentence."""

    def expansions(self, rank_scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """Return the `count` best of rank_scores (B, K, V) and those that words need, with their indices."""

    def with_banks(self, candidates: Candidates) -> Candidates:
        """Return the candidates with the bank of each, see `words.py`."""


@dataclass(frozen=True)
class Beam:
    """The live rows of every active sentence; a row whose rank score is -inf is padding.

    A strategy with G groups owns the rows group by group: K / G of each.
    """

    tokens: Tensor  # (B, K, T) int64, generated so far
    cumulative: Tensor  # (B, K), the model's log-probability of the whole prefix
    rank_scores: Tensor  # (B, K): the search ranks by these: `cumulative`, unless penalised or perturbed
    eos_id: int
    tempered: Tensor | None = None  # (B, K), cumulative tempered log-probability, if a strategy needs it
    origin: int = -1  # number of the step that made these rows; -1 for the empty prefix
    ranks: tuple[tuple[int, ...], ...] = ()  # B x K: which candidate of that step each row is, or PADDING
    words: WordCoverage | None = None  # None if no words are required

    @classmethod
    def start(cls, batch: int, num_starts: int, eos_id: int, device: torch.device) -> Beam:
        """The empty prefix, `num_starts` times for each sentence."""
        import torch  # loaded only when a search begins

        tokens = torch.zeros(batch, num_starts, 0, dtype=torch.int64, device=device)
        zeros = torch.zeros(batch, num_starts, device=device)
        return cls(tokens, zeros, zeros, eos_id)

    @property
    def length(self) -> int:
        """Tokens generated so far."""
        return self.tokens.shape[2]

    @property
    def num_prefixes(self) -> int:
        """The number of prefixes to expand: rows that are not padding.

        The rows of a sentence that hold the empty prefix, at the first step, count as one.
        """
        if not self.ranks:
            return len(self.tokens)
        return sum(rank != PADDING for ranks in self.ranks for rank in ranks)


@dataclass(frozen=True)
class Candidates:
    """Ranked expansions of a beam, best first within each group; a rank score of -inf marks an unused column.

    With G groups the first C / G columns belong to the first group, and so on.
    """

    parents: Tensor  # (B, C) int64, row of the beam
    tokens: Tensor  # (B, C) int64
    rank_scores: Tensor  # (B, C): the search ranks by these
    tempered: Tensor | None = None  # (B, C), see Beam
    # (B, C) int64, codes of `Reason`, 0 for no reason; those in EXCLUDING_REASONS drop the candidate
    reasons: Tensor | None = None
    # (B, K, N) each, values and ids: the best tokens of each row, every candidate among them. The record
    # shows them as the model's own: a strategy that changes values leaves None here.
    row_top: tuple[Tensor, Tensor] | None = None
    # the best rank score of the expansions that the strategy left out because of its limit on candidates
    best_omitted: float = NEG_INF
    banks: Tensor | None = None  # (B, C) int64, how many tokens of the required words each has, or TOO_LATE


class Ranking(NamedTuple):
    """The candidates of one group of one sentence as plain numbers, in order of rank."""

    rank_scores: list[float]
    ends: list[bool]  # True: has an end token, or is at the length limit
    reasons: list[Reason | None] | None  # reasons by rank; those in EXCLUDING_REASONS drop the candidate


class Selection(NamedTuple):
    """The ranks that go on and those that are finished; the rest is dropped."""

    survivors: list[int]
    finished: list[int]


@dataclass(frozen=True)
class FinishedSequence:
    """One sequence that ended; `step_number` and `rank` say which candidate of which step it was."""

    tokens: tuple[int, ...]
    log_prob: float  # the model's own
    rank_score: float  # the search ranked it by this value, before any length normalisation
    score: float  # the model's own, length-normalised
    key: float  # the value that ranks it in its pool
    ended: bool  # True: has an end token; False: cut off at the length limit
    step_number: int
    rank: int  # the rank among all candidates of that step
    group: int = 0


@dataclass
class BeamHypotheses:
    """The best finished sequences of one group, at most `size`, best key first."""

    size: int
    sequences: list[FinishedSequence] = field(default_factory=list)

    @property
    def full(self) -> bool:
        """Whether there are `size` sequences."""
        return len(self.sequences) >= self.size

    @property
    def worst(self) -> float:
        """The lowest key; -inf until there are `size` sequences."""
        return self.sequences[-1].key if self.full else NEG_INF

    def add(self, sequence: FinishedSequence) -> None:
        """Insert by key, behind equal ones, and drop the last one beyond `size`."""
        self.sequences.append(sequence)
        self.sequences.sort(key=lambda sequence: -sequence.key)
        del self.sequences[self.size :]


class Pool:
    """The finished sequences of one sentence, separate for each group."""

    def __init__(self, size: int, num_groups: int = 1) -> None:
        """Share `size` sequences among the groups."""
        self.groups = tuple(BeamHypotheses(size // num_groups) for _ in range(num_groups))

    @property
    def sequences(self) -> list[FinishedSequence]:
        """All sequences, best first; across groups by the model's score, not by penalised keys."""
        if len(self.groups) == 1:
            return self.groups[0].sequences
        sequences = [sequence for hypotheses in self.groups for sequence in hypotheses.sequences]
        return sorted(sequences, key=lambda sequence: -sequence.score)


def ranked_top_k(values: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the k highest of the last dimension, best first, ties to the lower index on every device.

    values (..., N) -> values and indices (..., min(k, N)). `torch.topk` alone leaves ties unspecified.
    """
    n = values.shape[-1]
    if k < n and values.numel() > MAX_SORTED_VALUES:
        if _blocks_are_faster(values, k, n // BLOCK_SIZE):
            top, indices = _top_by_blocks(values.reshape(-1, 1, n), None, k + 1)
            top, indices = (part.view(*values.shape[:-1], k + 1) for part in (top, indices))
        else:
            top, indices = values.topk(k + 1, dim=-1)
        if not _has_ties(top):  # then `torch.topk` ranks as a stable sort does
            return top[..., :k], indices[..., :k]
    top, indices = values.sort(dim=-1, descending=True, stable=True)
    return top[..., :k], indices[..., :k]


def ranked_sums(rank_scores: Tensor, log_probs: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the k highest of rank_scores (B, K) + log_probs (B, K, V) of each sentence, as `ranked_top_k`.

    Values and indices into K * V are (B, min(k, K * V)). If blocks are faster, only some sums are computed.
    """
    batch, rows = rank_scores.shape
    if _blocks_are_faster(log_probs, k, rows * (log_probs.shape[2] // BLOCK_SIZE)):
        top, indices = _top_by_blocks(log_probs, rank_scores, k + 1)
        if not _has_ties(top):
            return top[:, :k], indices[:, :k]
    return ranked_top_k((rank_scores.unsqueeze(-1) + log_probs).view(batch, -1), k)


def _has_ties(top: Tensor) -> bool:
    """Whether two values of a row (..., K) are equal, which is rare; -inf does not count."""
    # A set of plain numbers takes less time than five kernels.
    if top.numel() <= MAX_SORTED_VALUES and top.is_cpu:
        rows: list[list[float]] = top.view(-1, top.shape[-1]).tolist()
        if all(len(set(row)) == len(row) for row in rows):
            return False
    ties = top[..., 1:] == top[..., :-1]
    return bool((ties & (top[..., 1:] > NEG_INF)).any())


def _blocks_are_faster(values: Tensor, k: int, blocks: int) -> bool:
    """Whether blocks are faster: on a CPU, for long rows (0.7 against 2.4 ms for 9 of 32,000 in 64 rows)."""
    return values.is_cpu and values.numel() >= MIN_VALUES_FOR_BLOCKS and k < blocks // 4


def _top_by_blocks(values: Tensor, row_offsets: Tensor | None, k: int) -> tuple[Tensor, Tensor]:
    """Return the k highest of the last two dimensions of values (B, K, N) + row_offsets (B, K).

    They lie within the k blocks of BLOCK_SIZE values that have the highest maximum, so all other blocks are
    skipped. Values and indices into K * N are (B, k).
    """
    import torch  # loaded only when a search begins

    n = values.shape[2]
    count = n // BLOCK_SIZE
    blocks = values[..., : count * BLOCK_SIZE].unflatten(2, (count, BLOCK_SIZE))
    tails = values[..., count * BLOCK_SIZE :]  # the last values of each row, fewer than a block
    highest = blocks.amax(dim=3)
    if row_offsets is not None:
        highest, tails = highest + row_offsets.unsqueeze(-1), tails + row_offsets.unsqueeze(-1)
    best = highest.flatten(1).topk(k, dim=1, sorted=False).indices  # (B, k)
    row, block = best // count, best % count
    row_in_batch = row + (torch.arange(len(values)) * values.shape[1]).unsqueeze(1)
    # Row i of this view begins at value i, so a block is copied as a whole, not number by number.
    windows = values.contiguous().as_strided((values.numel() - BLOCK_SIZE + 1, BLOCK_SIZE), (1, 1))
    members = windows.index_select(0, (row_in_batch * n + block * BLOCK_SIZE).flatten()).view(
        *best.shape, BLOCK_SIZE
    )
    if row_offsets is not None:
        members += row_offsets.gather(1, row).unsqueeze(-1)
    top, column = torch.cat((members.flatten(1), tails.flatten(1)), dim=1).topk(k, dim=1)
    # Back to indices into K * N: within one of the best blocks, or behind the last block of a row.
    starts = (row * n + block * BLOCK_SIZE).gather(1, (column // BLOCK_SIZE).clamp_max(k - 1))
    tail_index = column - k * BLOCK_SIZE
    width = max(n - count * BLOCK_SIZE, 1)
    tail_position = tail_index // width * n + count * BLOCK_SIZE + tail_index % width
    return top, torch.where(tail_index < 0, starts + column % BLOCK_SIZE, tail_position)

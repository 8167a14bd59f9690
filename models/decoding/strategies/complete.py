"""Searches that look at everything: exhaustive, and exact by branch and bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import torch
from torch import Tensor

from models.decoding.beam import NEVER, Beam, Candidates, Choice, Contest, Lane, ranked_top_k
from models.decoding.scoring import LengthNormalizer
from models.decoding.strategies.base import DecodingStrategy, check_rows

MAX_LEAVES = 200_000
MIN_BUDGET, MAX_BUDGET = 100, 1_000_000
MOST_CHILDREN = 1024  # that a step of exact search looks at; of more, the best
TOLERANCE = 1e-4  # nats: the bound must not shut out the sequence that it came from


@dataclass(frozen=True)
class ExhaustiveSearch(DecodingStrategy):
    """Every sequence up to the length limit; the `num_best` best are kept. For tiny spaces only."""

    num_best: int = 8
    normalizer: LengthNormalizer = field(default_factory=LengthNormalizer)

    name: ClassVar[str] = "exhaustive"
    depth_first: ClassVar[bool] = True
    width: ClassVar[int] = 64

    def __post_init__(self) -> None:
        check_rows("num_best", self.num_best)

    @property
    def pool_size(self) -> int:
        """See `DecodingStrategy.pool_size`."""
        return self.num_best

    def check(self, vocab_size: int, steps: int) -> None:
        """Raises ValueError beyond MAX_LEAVES sequences."""
        leaves = num_leaves(vocab_size, steps)
        if leaves > MAX_LEAVES:
            size = f"{leaves:,}" if leaves < 10**12 else f"{float(leaves):.1e}"
            raise ValueError(
                f"With {vocab_size:,} tokens and up to {steps} steps there are {size} sequences; exhaustive "
                f"search looks at no more than {MAX_LEAVES:,}. Lower the maximum length, force a longer "
                "prefix, or use exact search, which skips what cannot win."
            )

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """All of beam x vocabulary that is possible."""
        vocab_size = log_probs.shape[2]
        total = (beam.order.unsqueeze(-1) + log_probs).view(-1)
        flat = (total > NEVER).nonzero().squeeze(1)
        order, places = total[flat].sort(descending=True, stable=True)
        flat = flat[places].unsqueeze(0)
        return Candidates(flat // vocab_size, flat % vocab_size, order.unsqueeze(0))

    def choose(self, contest: Contest, lane: Lane) -> Choice:
        """Everything goes on or is finished."""
        return _split(contest, NEVER)

    def is_done(self, best_running: float, length: int, lane: Lane, max_length: int) -> bool:
        """Only when nothing is left."""
        return False


@dataclass(frozen=True)
class ExactSearch(DecodingStrategy):
    """The model's true mode, by depth-first branch and bound (Stahlberg and Byrne 2019, section 3).

    Log-probability only falls along a path, so a prefix below the best finished sequence is cut. `bound` is
    the log-probability of a sequence that is known, `guide`, which is looked at first: there is then always
    a best one so far. Gives up after `node_budget` prefixes and says so.
    """

    node_budget: int = 20_000
    bound: float = NEVER
    guide: tuple[int, ...] = ()

    name: ClassVar[str] = "exact"
    bounded: ClassVar[bool] = True
    depth_first: ClassVar[bool] = True
    width: ClassVar[int] = 16
    pool_size: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not MIN_BUDGET <= self.node_budget <= MAX_BUDGET:
            raise ValueError(
                f"node_budget must be between {MIN_BUDGET:,} and {MAX_BUDGET:,}; got {self.node_budget:,}"
            )

    @property
    def budget(self) -> int:
        """See `DecodingStrategy.budget`."""
        return self.node_budget

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """The best of beam x vocabulary above the known bound, the guide's next token first."""
        vocab_size = log_probs.shape[2]
        total = (beam.order.unsqueeze(-1) + log_probs).view(-1)
        order, flat = ranked_top_k(total, MOST_CHILDREN + 1)
        above = int((order > self.bound - TOLERANCE).sum())
        unseen = float(order[MOST_CHILDREN]) if above > MOST_CHILDREN else NEVER
        order, flat = order[: min(above, MOST_CHILDREN)], flat[: min(above, MOST_CHILDREN)]
        guided = self._guided(beam, vocab_size)
        if guided is not None:
            others = flat != guided
            flat = torch.cat((torch.tensor([guided], device=flat.device), flat[others]))
            order = torch.cat((total[guided].unsqueeze(0), order[others]))
        return Candidates(
            (flat // vocab_size).unsqueeze(0),
            (flat % vocab_size).unsqueeze(0),
            order.unsqueeze(0),
            unseen=unseen,
        )

    def _guided(self, beam: Beam, vocab_size: int) -> int | None:
        """Where the guide's next token stands in beam x vocabulary, if one of the rows is on its path."""
        if beam.length >= len(self.guide):
            return None
        prefix = torch.tensor(self.guide[: beam.length], dtype=torch.int64, device=beam.tokens.device)
        rows = (beam.tokens[0] == prefix).all(dim=-1).nonzero()
        return int(rows[0]) * vocab_size + self.guide[beam.length] if len(rows) else None

    def choose(self, contest: Contest, lane: Lane) -> Choice:
        """What beats the best finished sequence."""
        return _split(contest, max(self.bound - TOLERANCE, lane.worst))

    def is_done(self, best_running: float, length: int, lane: Lane, max_length: int) -> bool:
        """Only when nothing is left above the bound."""
        return False


def num_leaves(vocab_size: int, steps: int) -> int:
    """Sequences of at most `steps` tokens: those that end, and those cut off at the limit."""
    open_tokens = vocab_size - 1
    ended: int = sum(open_tokens**length for length in range(steps))
    return ended + int(open_tokens**steps)


def _split(contest: Contest, bound: float) -> Choice:
    survivors: list[int] = []
    finished: list[int] = []
    for rank, (value, ends) in enumerate(zip(contest.order, contest.ends, strict=True)):
        if ends and value > bound:
            finished.append(rank)
            bound = max(bound, value) if bound > NEVER else bound
        elif value > bound:
            survivors.append(rank)
    return Choice(survivors, finished)

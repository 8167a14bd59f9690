"""Exact search: the most probable output, by branch and bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from models.decoding.description import Description, Family, Preset
from models.decoding.search.beam import (
    NEVER,
    Beam,
    BeamHypotheses,
    Candidates,
    Ranking,
    Selection,
    ranked_top_k,
)
from models.decoding.search.strategy import DecodingStrategy, all_above
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.table import register
from models.decoding.trace import Hypothesis

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from models.decoding.search.step import SearchStep

MIN_BUDGET, MAX_BUDGET = 100, 1_000_000
MOST_CHILDREN = 1024  # that a step of exact search looks at; of more, the best
TOLERANCE = 1e-4  # nats: the bound must not shut out the sequence that it came from
GUIDE_BEAMS = 4  # of the beam search that gives the first bound


@register
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
    description: ClassVar[Description] = Description(
        label="Exact",
        title="Exact search",
        sentence="Finds the one likeliest output, skipping only what provably cannot win.",
        family=Family.SEARCH,
        short="Exact search",
        details=("node_budget",),
        remark="finds the most probable output",
        settings=("node_budget",),
        main=("node_budget",),
        presets=(Preset({"node_budget": 5000}, position=8, ticked=True),),
        position=80,
        slowness=2,
        proof="No output of this model is more probable than the first one.",
    )
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
        import torch  # not before a search begins

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
        import torch  # not before a search begins

        prefix = torch.tensor(self.guide[: beam.length], dtype=torch.int64, device=beam.tokens.device)
        rows = (beam.tokens[0] == prefix).all(dim=-1).nonzero()
        return int(rows[0]) * vocab_size + self.guide[beam.length] if len(rows) else None

    def select(self, ranking: Ranking, hypotheses: BeamHypotheses) -> Selection:
        """What beats the best finished sequence."""
        return all_above(ranking, max(self.bound - TOLERANCE, hypotheses.worst))

    def is_done(self, best_running: float, length: int, hypotheses: BeamHypotheses, max_length: int) -> bool:
        """Only when nothing is left above the bound."""
        return False

    def guided(
        self, steps: Callable[[DecodingStrategy], Iterable[SearchStep]], free_to_end: bool
    ) -> ExactSearch:
        """With a bound from beam search, so that there is a best sequence from the start."""
        if self.guide:
            return self
        result: list[tuple[float, tuple[int, ...]]] = []
        held = result
        for step in steps(BeamSearch(GUIDE_BEAMS)):
            if free_to_end and step.forced is None:
                result.append(_best_end(step))
            held = [(sequence.order, sequence.tokens) for sequence in step.pools[0].finished]
        bound, guide = max([*result, *held], default=(NEVER, ()))
        return replace(self, bound=bound, guide=guide)

    def tightened(self, best: Hypothesis, left: int) -> ExactSearch | None:
        """With a bound as good as what it found it has less to look at, so it tries again."""
        order = best.log_prob if best.order is None else best.order
        if order <= self.bound or left < MIN_BUDGET:
            return None
        return replace(self, node_budget=left, bound=order, guide=best.token_ids)


def _best_end(step: SearchStep) -> tuple[float, tuple[int, ...]]:
    """The most probable way to end now, which a beam would not take: often shorter is likelier."""
    ends = step.beam.order[0] + step.log_probs[0, :, step.eos_id]  # (K,)
    row = int(ends.argmax())
    return float(ends[row]), (*step.beam.tokens[0, row].tolist(), step.eos_id)

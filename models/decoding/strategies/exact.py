"""Exact search: the most probable output, by branch and bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from models.decoding.description import Description, Family, StrategyPreset
from models.decoding.search.beam import (
    NEG_INF,
    Beam,
    BeamHypotheses,
    Candidates,
    Ranking,
    Selection,
    ranked_top_k,
)
from models.decoding.search.strategy import DecodingStrategy, all_above
from models.decoding.strategies import register
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.trace import Hypothesis

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from models.decoding.search.step import SearchStep

MIN_BUDGET = 100  # fewer prefixes are not worth a second search
MAX_CHILDREN = 1024  # best children that a step of exact search considers
BOUND_TOLERANCE = 1e-4  # nats below the bound: rounding must not exclude the sequence that gave the bound
GUIDE_BEAMS = 4  # beam size of the search that gives the first bound


@register
@dataclass(frozen=True)
class ExactSearch(DecodingStrategy):
    """The model's true mode, by depth-first branch and bound (Stahlberg and Byrne 2019).

    Log-probability only falls along a path, so a prefix that is less probable than the best finished
    sequence is dropped. An earlier search gives the first such sequence: `guide`, with log-probability
    `bound`. The search follows the guide first. After `node_budget` prefixes it gives up, and says so.
    """

    node_budget: int = 20_000
    bound: float = NEG_INF
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
        presets=(StrategyPreset({"node_budget": 5000}, position=8, ticked=True),),
        position=80,
        slowness=2,
        proof="No output of this model is more probable than the first one.",
    )
    bounded: ClassVar[bool] = True
    depth_first: ClassVar[bool] = True
    width: ClassVar[int] = 16
    pool_size: ClassVar[int] = 1

    @property
    def budget(self) -> int:
        return self.node_budget

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """Return the best expansions above the bound, the one on the path of the guide first."""
        import torch  # loaded only when a search begins

        vocab_size = log_probs.shape[2]
        scores = (beam.rank_scores.unsqueeze(-1) + log_probs).view(-1)
        rank_scores, flat = ranked_top_k(scores, MAX_CHILDREN + 1)
        num_above = int((rank_scores > self.bound - BOUND_TOLERANCE).sum())
        best_omitted = float(rank_scores[MAX_CHILDREN]) if num_above > MAX_CHILDREN else NEG_INF
        rank_scores, flat = rank_scores[: min(num_above, MAX_CHILDREN)], flat[: min(num_above, MAX_CHILDREN)]
        guide = self._guide_index(beam, vocab_size)
        if guide is not None:
            is_other = flat != guide
            flat = torch.cat((torch.tensor([guide], device=flat.device), flat[is_other]))
            rank_scores = torch.cat((scores[guide].unsqueeze(0), rank_scores[is_other]))
        return Candidates(
            (flat // vocab_size).unsqueeze(0),
            (flat % vocab_size).unsqueeze(0),
            rank_scores.unsqueeze(0),
            best_omitted=best_omitted,
        )

    def _guide_index(self, beam: Beam, vocab_size: int) -> int | None:
        """The index of the guide's next token in rows x vocabulary; None if no row is on its path."""
        if beam.length >= len(self.guide):
            return None
        import torch  # loaded only when a search begins

        prefix = torch.tensor(self.guide[: beam.length], dtype=torch.int64, device=beam.tokens.device)
        rows = (beam.tokens[0] == prefix).all(dim=-1).nonzero()
        return int(rows[0]) * vocab_size + self.guide[beam.length] if len(rows) else None

    def select(self, ranking: Ranking, hypotheses: BeamHypotheses) -> Selection:
        """Select the candidates that beat the best finished sequence."""
        return all_above(ranking, max(self.bound - BOUND_TOLERANCE, hypotheses.worst))

    def prepare(
        self, steps: Callable[[DecodingStrategy], Iterable[SearchStep]], may_end_anywhere: bool
    ) -> ExactSearch:
        """Take the guide and the bound from a beam search."""
        if self.guide:
            return self
        ends: list[tuple[float, tuple[int, ...]]] = []
        finished = ends
        for step in steps(BeamSearch(GUIDE_BEAMS)):
            if may_end_anywhere and step.forced is None:
                ends.append(_best_end(step))
            finished = [(sequence.rank_score, sequence.tokens) for sequence in step.pools[0].sequences]
        bound, guide = max([*ends, *finished], default=(NEG_INF, ()))
        return replace(self, bound=bound, guide=guide)

    def retry(self, best: Hypothesis, budget_left: int) -> ExactSearch | None:
        """Search again with the best hypothesis as the guide: its higher bound leaves fewer prefixes."""
        bound = best.log_prob if best.rank_score is None else best.rank_score
        if bound <= self.bound or budget_left < MIN_BUDGET:
            return None
        return replace(self, node_budget=budget_left, bound=bound, guide=best.token_ids)


def _best_end(step: SearchStep) -> tuple[float, tuple[int, ...]]:
    """Return the rank score and tokens of the most probable output that ends at this step.

    A beam search drops it if it ranks below the beam.
    """
    ends = step.beam.rank_scores[0] + step.log_probs[0, :, step.beam.eos_id]  # (K,)
    row = int(ends.argmax())
    return float(ends[row]), (*step.beam.tokens[0, row].tolist(), step.beam.eos_id)

"""Stochastic beam search: a beam that samples sequences without replacement."""

from __future__ import annotations

from dataclasses import dataclass
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
from models.decoding.search.strategy import DecodingStrategy, check_rows
from models.decoding.strategies.table import register

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@register
@dataclass(frozen=True)
class StochasticBeamSearch(DecodingStrategy):
    """`beam_size` different sequences, drawn without replacement (Kool et al. 2019, algorithm 1).

    Each prefix holds a Gumbel-perturbed log-probability G; those of its children are drawn on the condition
    that the largest of them is its own, so that a beam of the k largest is the k largest of all sequences.
    Finished sequences stay in the competition; nothing is normalised by length and nothing stops early.
    With a temperature the perturbed values accumulate the tempered log-probabilities.
    """

    beam_size: int = 4
    temperature: float = 1.0

    name: ClassVar[str] = "stochastic"
    description: ClassVar[Description] = Description(
        label="Stochastic beam",
        title="Stochastic beam search",
        sentence="Draws several outputs at random, no two of them the same.",
        family=Family.DRAW,
        short="Stochastic beam {beam_size}",
        details=("temperature", "seed"),
        settings=("beam_size", "temperature", "seed"),
        main=("beam_size", "temperature", "seed"),
        presets=(StrategyPreset({"beam_size": 4, "temperature": 0.5}, position=6, ticked=True),),
        position=40,
        form_position=65,
        ranking="Ranked by perturbed log-probability G: the first one is a plain sample of the model.",
        order_sign="G",
    )
    reorders: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_rows("beam_size", self.beam_size)
        if not 0.01 <= self.temperature <= 100:
            raise ValueError(f"temperature must be between 0.01 and 100; got {self.temperature}")

    @property
    def width(self) -> int:
        return self.beam_size

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """Draw by Gumbel noise, in double precision on the CPU, so that seeds replay on every device."""
        import torch  # not before a search begins

        batch, num_rows, vocab_size = log_probs.shape
        precise = log_probs.cpu().double()
        # Masked, because a row in which nothing is possible has no softmax.
        tempered = (precise / self.temperature).log_softmax(dim=-1).masked_fill(precise == NEG_INF, NEG_INF)
        if beam.tempered is None:  # the root: nothing conditions it
            shape = (batch, num_rows)
            phi, maximum = torch.zeros(shape, dtype=torch.float64), _gumbel(shape, rng)
        else:
            phi, maximum = beam.tempered.cpu(), beam.rank_scores.cpu().double()
        phi = phi.unsqueeze(-1) + tempered  # (B, K, V)
        perturbed = conditional_gumbel(phi, maximum, rng)
        count = 2 * self.beam_size
        if beam.words is None:
            rank_scores, flat = ranked_top_k(perturbed.view(batch, -1), count)
        else:
            rank_scores, flat = beam.words.expansions(perturbed, count)
        tempered_totals = phi.view(batch, -1).gather(1, flat)
        device = log_probs.device
        flat = flat.to(device)
        return Candidates(
            flat // vocab_size, flat % vocab_size, rank_scores.to(device), tempered=tempered_totals.to(device)
        )

    def select(self, ranking: Ranking, hypotheses: BeamHypotheses) -> Selection:
        """Select the k largest among candidates and finished sequences together."""
        survivors: list[int] = []
        finished: list[int] = []
        for rank, (value, ends) in enumerate(zip(ranking.rank_scores, ranking.ends, strict=True)):
            better = rank + sum(sequence.key > value for sequence in hypotheses.finished)
            if value > NEG_INF and better < self.beam_size:
                (finished if ends else survivors).append(rank)
        return Selection(survivors, finished)

    def is_done(self, best_running: float, length: int, hypotheses: BeamHypotheses, max_length: int) -> bool:
        """Return False: the search ends when no unfinished sequence is among the k largest."""
        return False


def _gumbel(shape: tuple[int, ...], rng: torch.Generator) -> Tensor:
    """Gumbel(0) variates (B, ...), the same for each of B sentences."""
    import torch  # not before a search begins

    # -log of an exponential variate; double precision keeps it finite.
    drawn = -torch.empty(shape[1:], dtype=torch.float64).exponential_(generator=rng).log()
    return drawn.expand(shape)


def conditional_gumbel(phi: Tensor, maximum: Tensor, rng: torch.Generator) -> Tensor:
    """Return Gumbel(phi) variates whose largest in each row is `maximum`; all B share the same draws.

    phi (B, K, V), maximum (B, K) -> (B, K, V); Kool et al. 2019, numerically stable.
    -inf where phi or maximum is.
    """
    drawn = phi + _gumbel(tuple(phi.shape), rng)
    largest = drawn.amax(dim=-1, keepdim=True)
    top = maximum.unsqueeze(-1)
    v = top - drawn + (-(drawn - largest).exp()).log1p()
    conditioned = top - v.relu() - (-v.abs()).exp().log1p()
    impossible = (phi == NEG_INF) | (top == NEG_INF)
    return conditioned.masked_fill(impossible, NEG_INF)

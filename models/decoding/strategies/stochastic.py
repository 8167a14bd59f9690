"""Stochastic beam search: a beam that samples sequences without replacement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from models.decoding.description import Description, Family, StrategyPreset
from models.decoding.search.beam import NEG_INF, Beam, BeamHypotheses, Candidates, Ranking, Selection
from models.decoding.search.strategy import DecodingStrategy, ranked_expansions
from models.decoding.strategies import register

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@register
@dataclass(frozen=True)
class StochasticBeamSearch(DecodingStrategy):
    """Draw `beam_size` different sequences without replacement (Kool et al. 2019, algorithm 1).

    Each prefix has a rank score G: its log-probability plus Gumbel noise. The G of its children are drawn on
    the condition that their maximum equals the G of the prefix. So the beam of the k largest G holds the k
    largest of all sequences, which are k draws without replacement. Finished sequences compete with the
    running ones; there is no length normalisation and no early stopping. A temperature divides the
    log-probabilities that the noise is added to; the trace keeps the model's own.
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
        ranking="Ranked by perturbed log-probability G: the first is an ordinary sample at this temperature.",
        rank_symbol="G",
    )
    modifies_scores: ClassVar[bool] = True

    @property
    def width(self) -> int:
        return self.beam_size

    def chances(self, log_probs: Tensor) -> Tensor:
        return self._at_temperature(log_probs).exp().to(log_probs)

    def _at_temperature(self, log_probs: Tensor) -> Tensor:
        """Log-probabilities at the temperature, (..., V), in double precision on the CPU."""
        precise = log_probs.cpu().double()
        # The softmax of a row without a possible token is NaN, so impossible tokens are masked again.
        return (precise / self.temperature).log_softmax(dim=-1).masked_fill(precise == NEG_INF, NEG_INF)

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """Return the 2k expansions with the largest G, for a beam of k.

        The noise is drawn in double precision on the CPU, so that a seed replays on every device.
        """
        import torch  # loaded only when a search begins

        batch, num_rows, vocab_size = log_probs.shape
        tempered = self._at_temperature(log_probs)
        if beam.tempered is None:  # the empty prefix: its G is plain Gumbel noise
            shape = (batch, num_rows)
            phi, maximum = torch.zeros(shape, dtype=torch.float64), _gumbel(shape, rng)
        else:
            phi, maximum = beam.tempered.cpu(), beam.rank_scores.cpu().double()
        phi = phi.unsqueeze(-1) + tempered  # (B, K, V)
        perturbed = conditional_gumbel(phi, maximum, rng)
        rank_scores, flat = ranked_expansions(perturbed, beam.words, 2 * self.beam_size)
        tempered_phi = phi.view(batch, -1).gather(1, flat)
        device = log_probs.device
        flat = flat.to(device)
        return Candidates(
            flat // vocab_size, flat % vocab_size, rank_scores.to(device), tempered=tempered_phi.to(device)
        )

    def select(self, ranking: Ranking, hypotheses: BeamHypotheses) -> Selection:
        """Select the k largest among candidates and finished sequences together."""
        survivors: list[int] = []
        finished: list[int] = []
        for rank, (value, ends) in enumerate(zip(ranking.rank_scores, ranking.ends, strict=True)):
            num_better = rank + sum(sequence.key > value for sequence in hypotheses.sequences)
            if value > NEG_INF and num_better < self.beam_size:
                (finished if ends else survivors).append(rank)
        return Selection(survivors, finished)

    def is_done(self, best_running: float, length: int, hypotheses: BeamHypotheses, max_length: int) -> bool:
        """Return False: the search ends by itself when no running sequence is among the k largest."""
        return False


def _gumbel(shape: tuple[int, ...], rng: torch.Generator) -> Tensor:
    """Draw Gumbel(0) variates of this shape (B, ...), the same for all B sentences."""
    import torch  # loaded only when a search begins

    # The negative logarithm of an exponential variate is Gumbel; double precision keeps it finite.
    noise = -torch.empty(shape[1:], dtype=torch.float64).exponential_(generator=rng).log()
    return noise.expand(shape)


def conditional_gumbel(phi: Tensor, maximum: Tensor, rng: torch.Generator) -> Tensor:
    """Draw Gumbel(phi) variates on the condition that the maximum of each row is `maximum`.

    phi (B, K, V), maximum (B, K) -> (B, K, V), -inf where phi or maximum is -inf. All B sentences share the
    noise. The numerically stable form of Kool et al. 2019, appendix B.3.
    """
    free_draws = phi + _gumbel(tuple(phi.shape), rng)
    largest = free_draws.amax(dim=-1, keepdim=True)
    top = maximum.unsqueeze(-1)
    gap = top - free_draws + (-(free_draws - largest).exp()).log1p()
    conditioned = top - gap.relu() - (-gap.abs()).exp().log1p()
    impossible = (phi == NEG_INF) | (top == NEG_INF)
    return conditioned.masked_fill(impossible, NEG_INF)

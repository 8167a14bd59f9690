"""Ancestral sampling."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from models.decoding.description import Description, Family, StrategyPreset
from models.decoding.search.beam import Beam, Candidates
from models.decoding.search.constraints import min_p_only, nucleus, top_k_only
from models.decoding.search.strategy import DecodingStrategy, LengthNormalizer
from models.decoding.strategies import register

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@register
@dataclass(frozen=True)
class Sampling(DecodingStrategy):
    """Ancestral sampling of independent sequences, in Hugging Face's order: temperature, top-k, top-p, min-p.

    top-k: Fan et al. 2018; top-p (nucleus): Holtzman et al. 2020; min-p: Nguyen et al. 2024.
    `top_k` 0, `top_p` 1 and `min_p` 0 switch them off. The trace keeps the model's own log-probabilities,
    not the tempered ones.
    """

    num_samples: int = 1
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    normalizer: LengthNormalizer = field(default_factory=LengthNormalizer)

    name: ClassVar[str] = "sampling"
    description: ClassVar[Description] = Description(
        label="Sampling",
        sentence="Draws each token at random, by the probability that the model gives it.",
        family=Family.DRAW,
        short="Sampling",
        details=("num_samples", "temperature", "top_k", "top_p", "min_p", "seed"),
        settings=("num_samples", "temperature", "top_k", "top_p", "min_p", "seed"),
        main=("num_samples", "temperature", "top_k", "top_p", "min_p", "seed"),
        presets=(StrategyPreset({"num_samples": 1}, position=5, ticked=True),),
        position=60,
    )
    rows_compete: ClassVar[bool] = False

    @property
    def width(self) -> int:
        return self.num_samples

    @property
    def num_starts(self) -> int:
        """Every sample is a separate chain from the first step."""
        return self.num_samples

    def chances(self, log_probs: Tensor) -> Tensor:
        tempered = nucleus(top_k_only(log_probs / self.temperature, self.top_k), self.top_p)
        return min_p_only(tempered, self.min_p).softmax(dim=-1)

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """Draw one token for each row by inversion: a uniform number cuts the cumulative distribution."""
        import torch  # loaded only when a search begins

        cumulative = self.chances(log_probs).cumsum(dim=-1)
        # Drawn on the CPU, so that a seed replays on every device, and once for all sentences.
        uniform = torch.rand((1, log_probs.shape[1], 1), generator=rng).to(log_probs.device)
        uniform = uniform.expand(len(log_probs), -1, -1)
        # Rounding leaves the last sum a little off 1, so the number is scaled by it and stays below it.
        threshold = uniform * cumulative[..., -1:]
        tokens = torch.searchsorted(cumulative, threshold, right=True).clamp_max(log_probs.shape[-1] - 1)
        token_log_probs = log_probs.gather(-1, tokens).squeeze(-1)
        parents = torch.arange(tokens.shape[1], device=tokens.device).expand_as(token_log_probs)
        return Candidates(parents, tokens.squeeze(-1), beam.rank_scores + token_log_probs)

"""Exhaustive search over all possible outputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from models.decoding.description import Caption, Description, Family
from models.decoding.limits import DecodingError
from models.decoding.search.beam import NEG_INF, Beam, BeamHypotheses, Candidates, Ranking, Selection
from models.decoding.search.strategy import DecodingStrategy, LengthNormalizer, all_above
from models.decoding.strategies import register

if TYPE_CHECKING:
    import torch
    from torch import Tensor

MAX_LEAVES = 200_000


@register
@dataclass(frozen=True)
class ExhaustiveSearch(DecodingStrategy):
    """Search all sequences up to the length limit and keep the `num_best` best. For tiny spaces only."""

    num_best: int = 8
    normalizer: LengthNormalizer = field(default_factory=LengthNormalizer)

    name: ClassVar[str] = "exhaustive"
    description: ClassVar[Description] = Description(
        label="Exhaustive",
        title="Exhaustive search",
        sentence="Scores every possible output. For tiny vocabularies and short outputs only.",
        family=Family.SEARCH,
        short="Exhaustive search",
        details=("every output",),
        settings=("beam_size", "length_penalty", "normalizer"),
        fields={"beam_size": "num_best"},
        captions={"beam_size": Caption("Outputs kept", "The best of all are listed.")},
        position=90,
        rare=True,
        slowness=3,
        proof="These were all outputs up to the length limit.",
    )
    depth_first: ClassVar[bool] = True
    width: ClassVar[int] = 64

    @property
    def pool_size(self) -> int:
        return self.num_best

    def check(self, vocab_size: int, steps: int) -> None:
        """Raise DecodingError beyond MAX_LEAVES sequences."""
        leaves = num_leaves(vocab_size, steps)
        if leaves > MAX_LEAVES:
            power = f"{Decimal(leaves):.1e}".replace("e+", " × 10^")  # it may be too large for a float
            raise DecodingError(
                "too_many_sequences",
                "With {tokens} tokens and up to {steps} steps there are {size} sequences; exhaustive "
                "search scores no more than {limit}. Lower the maximum length, force a longer prefix, or "
                "use exact search, which skips what cannot win.",
                tokens=f"{vocab_size:,}",
                steps=steps,
                size=f"{leaves:,}" if leaves < 10**12 else power,
                limit=f"{MAX_LEAVES:,}",
            )

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """Return all possible tokens of beam x vocabulary."""
        vocab_size = log_probs.shape[2]
        scores = (beam.rank_scores.unsqueeze(-1) + log_probs).view(-1)
        flat = (scores > NEG_INF).nonzero().squeeze(1)
        rank_scores, indices = scores[flat].sort(descending=True, stable=True)
        flat = flat[indices].unsqueeze(0)
        return Candidates(flat // vocab_size, flat % vocab_size, rank_scores.unsqueeze(0))

    def select(self, ranking: Ranking, hypotheses: BeamHypotheses) -> Selection:
        """Select everything that is possible."""
        return all_above(ranking, NEG_INF)


def num_leaves(vocab_size: int, steps: int) -> int:
    """Return the number of sequences of at most `steps` tokens, with an end token or cut off."""
    open_tokens = vocab_size - 1
    ended: int = sum(open_tokens**length for length in range(steps))
    return ended + int(open_tokens**steps)

"""Diverse beam search: groups of beams that are penalised for the tokens of earlier groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from models.decoding.description import Description, Family, StrategyPreset
from models.decoding.limits import DecodingError
from models.decoding.search.beam import NEG_INF, Beam, Candidates, WordCoverage, ranked_top_k
from models.decoding.search.strategy import ranked_expansions
from models.decoding.search.words import NO_TURN, turns_of
from models.decoding.status import Reason
from models.decoding.strategies import register
from models.decoding.strategies.beam_search import BeamSearch

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@register
@dataclass(frozen=True)
class DiverseBeamSearch(BeamSearch):
    """Diverse beam search with Hamming diversity (Vijayakumar et al. 2018).

    `num_groups` beams of beam_size / num_groups rows each expand in turn. A group subtracts from the rank
    score of a token `diversity` times the number of rows of earlier groups that chose the token at this step.
    The penalties of all steps add up in the rank scores; `score` has no penalties.
    """

    num_groups: int = 2
    diversity: float = 0.5  # lambda, in nats

    name: ClassVar[str] = "diverse"
    description: ClassVar[Description] = Description(
        label="Diverse beam",
        title="Diverse beam search",
        sentence="Splits the beam into groups; each group avoids the tokens that earlier groups chose.",
        family=Family.SEARCH,
        short="Diverse beam {beam_size}/{num_groups}",
        details=("num_groups", "diversity"),
        settings=("beam_size", "num_groups", "diversity", "length_penalty", "normalizer", "early_stopping"),
        main=("beam_size", "num_groups", "diversity"),
        presets=(StrategyPreset({"beam_size": 4, "num_groups": 2}, position=4, ticked=True),),
        position=30,
    )
    modifies_scores: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 1 <= self.num_groups <= self.beam_size or self.beam_size % self.num_groups:
            fitting = [str(n) for n in range(1, self.beam_size + 1) if self.beam_size % n == 0]
            raise DecodingError(
                "groups_do_not_divide",
                "{groups} groups do not divide {beams} beams. Choose {fitting} or {last} groups, "
                "or another beam size.",
                groups=self.num_groups,
                beams=self.beam_size,
                fitting=", ".join(fitting[:-1] or fitting),
                last=fitting[-1],
            )

    def basis(self, log_prob: float, rank_score: float) -> float:
        """Return the log-probability: penalties make groups differ, but do not rank finished sequences."""
        return log_prob

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """Return for each group of n rows its 2n best candidates, then those that its penalty displaced."""
        import torch  # loaded only when a search begins

        batch, num_rows, vocab_size = log_probs.shape
        rows = num_rows // self.num_groups
        counts = log_probs.new_zeros(batch, vocab_size)  # rows of earlier groups that chose each token
        parts = []
        for group in range(self.num_groups):
            members = slice(group * rows, (group + 1) * rows)
            scores = beam.rank_scores[:, members].unsqueeze(-1) + log_probs[:, members]  # (B, n, V)
            words = beam.words.rows(members) if beam.words is not None else None
            part = self._candidates(scores, self.diversity * counts, beam.eos_id, words)
            parts.append(part)
            counts = counts + self._token_counts(part, beam.eos_id, vocab_size)
        parents = torch.cat([part.parents + group * rows for group, part in enumerate(parts)], dim=1)
        tokens, rank_scores, reasons = (
            torch.cat([getattr(part, column) for part in parts], dim=1)
            for column in ("tokens", "rank_scores", "reasons")
        )
        return Candidates(parents, tokens, rank_scores, reasons=reasons)

    @property
    def _group_size(self) -> int:
        return self.beam_size // self.num_groups

    def _candidates(
        self, scores: Tensor, penalty: Tensor, eos_id: int, words: WordCoverage | None
    ) -> Candidates:
        """Return the 2n best candidates of a group, and 2n columns for those that its penalty displaced.

        scores (B, n, V): rank scores without the penalty of this step; penalty (B, V).
        """
        import torch  # loaded only when a search begins

        batch, _, vocab_size = scores.shape
        count = min(2 * self._group_size, scores.shape[1] * vocab_size)
        flat_scores = scores.reshape(batch, -1)
        penalised = scores - penalty.unsqueeze(1)
        rank_scores, flat = ranked_expansions(penalised, words, count)
        _, unpenalised = ranked_top_k(flat_scores, count)
        # Without the penalty of this step these would have gone on or ended.
        ends = unpenalised % vocab_size == eos_id
        ranks = torch.arange(count, device=scores.device)
        would_go_on = torch.where(ends, ranks, (~ends).cumsum(dim=1) - 1) < self._group_size
        is_same = flat.unsqueeze(2) == unpenalised.unsqueeze(1)
        passed = (is_same & would_go_on.unsqueeze(1)).any(dim=2)
        missing = would_go_on & ~is_same.any(dim=1)
        displaced_scores = flat_scores.gather(1, unpenalised) - penalty.gather(1, unpenalised % vocab_size)
        displaced_scores = displaced_scores.masked_fill(~missing, NEG_INF)
        flat, rank_scores = (
            torch.cat((flat, unpenalised), dim=1),
            torch.cat((rank_scores, displaced_scores), dim=1),
        )
        reasons = torch.cat((passed, missing), dim=1).long() * Reason.GROUP_PENALTY.code
        part = Candidates(flat // vocab_size, flat % vocab_size, rank_scores, reasons=reasons)
        return part if words is None else words.with_banks(part)

    def _token_counts(self, part: Candidates, eos_id: int, vocab_size: int) -> Tensor:
        """The number of rows of this group that go on with each token, (B, V)."""
        goes_on = (part.tokens != eos_id) & (part.rank_scores > NEG_INF)
        better = goes_on.cumsum(dim=1) - 1
        if part.banks is not None:
            turn = turns_of(part)
            goes_on &= turn != NO_TURN
            better = (goes_on.unsqueeze(1) & (turn.unsqueeze(1) < turn.unsqueeze(2))).sum(dim=2)
        goes_on &= better < self._group_size
        counts = part.rank_scores.new_zeros(len(part.tokens), vocab_size)
        return counts.scatter_add(1, part.tokens, goes_on.to(counts.dtype))

"""A model whose next-token probabilities are a matrix, so that results can be computed by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor, nn

from models.batch import Batch
from models.networks.base import DecoderState, EncoderOutput, Seq2SeqModel, StepOutput

PAD, UNK, BOS, EOS = range(4)


@dataclass(frozen=True)
class MarkovState(DecoderState):
    """A state that holds the index of each row."""

    rows: Tensor  # (R,)

    def reorder(self, rows: Tensor, same_source: bool = False, rows_per_source: int = 1) -> MarkovState:
        return MarkovState(self.rows.index_select(0, rows))


class MarkovModel(Seq2SeqModel):
    """P(next | last) = law[last]; the source has no influence; attention tells the last token.

    Of two source positions the second has the weight last / (2 vocab_size), so the first has the most.
    """

    def __init__(self, law: Tensor) -> None:
        super().__init__()
        self.vocab_size = law.shape[0]
        self.law = nn.Parameter(law.double().float(), requires_grad=False)

    @classmethod
    def from_table(cls, vocab_size: int, table: dict[int, dict[int, float]]) -> MarkovModel:
        """Build a model from transition probabilities; a token without a row is followed by the end token."""
        law = torch.zeros(vocab_size, vocab_size)
        for last in range(vocab_size):
            for token, probability in table.get(last, {EOS: 1.0}).items():
                law[last, token] = probability
        return cls(law)

    @classmethod
    def random(cls, letters: int, seed: int, end_bias: float = 0.0) -> MarkovModel:
        """Build a model of `letters` ordinary tokens (ids from 4) in which every transition is possible."""
        generator = torch.Generator().manual_seed(seed)
        logits = torch.randn(letters + 4, letters + 4, generator=generator) * 1.5
        logits[:, [PAD, UNK, BOS]] = float("-inf")
        logits[:, EOS] += end_bias
        return cls(logits.softmax(dim=-1))

    def encode(self, src: Tensor, src_mask: Tensor) -> EncoderOutput:
        return EncoderOutput(torch.zeros(*src.shape, 1), src_mask)

    def initial_state(self, encoded: EncoderOutput) -> MarkovState:
        return MarkovState(torch.arange(encoded.memory.shape[0]))

    def step(self, tokens: Tensor, state: DecoderState, override: Tensor | None = None) -> StepOutput:
        """Return an override as the attention, which has no influence here."""
        logits = self.law[tokens].log()
        second = tokens / (2 * self.vocab_size)
        attention = torch.stack((1 - second, second), dim=-1)[:, None, None]  # (R, L, H, S)
        if override is not None:
            attention = torch.where(override.isnan(), attention, override)
        return StepOutput(logits, state, hidden=logits, cross_attention=attention)

    def features(self, batch: Batch) -> Tensor:
        return self.law[batch.tgt_in]

    def project(self, features: Tensor) -> Tensor:
        return features.log()

    def log_prob(self, tokens: tuple[int, ...]) -> float:
        """Return the log-probability of a sequence in double precision."""
        return sum(self._logs[last][token] for last, token in itertools.pairwise((BOS, *tokens)))

    @cached_property
    def _logs(self) -> list[list[float]]:
        return [[math.log(share) if share else -math.inf for share in row] for row in self.law.tolist()]

    def sequences(self, max_length: int) -> Iterator[tuple[int, ...]]:
        """Yield every sequence that ends with the end token or is cut off at `max_length`."""
        open_tokens = [token for token in range(self.vocab_size) if token != EOS]
        for length in range(max_length):
            for prefix in itertools.product(open_tokens, repeat=length):
                yield (*prefix, EOS)
        yield from itertools.product(open_tokens, repeat=max_length)

"""What is asked of a network: why this token here, and not that one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from models.budget import rest, rows_within
from models.decoding.limits import never_written, no_such_token
from models.device import recurrent_gradients
from models.errors import UnrolledError
from models.networks.base import EmbeddingModel, EncoderOutput, Seq2SeqModel
from models.networks.packed import has_gradients

MOST_ROWS = 64  # in one pass


class InspectionError(UnrolledError, ValueError):
    """A question that a network cannot answer."""


def reader_of_vectors(model: Seq2SeqModel) -> EmbeddingModel:
    """The network, if it can be asked what a vector changes. Raises InspectionError."""
    if isinstance(model, EmbeddingModel):
        return model
    raise InspectionError(
        "no_vectors_to_inspect",
        "This network does not read its tokens as vectors, so nothing can say what each contributes.",
    )


def check_tokens(model: Seq2SeqModel, token_ids: Iterable[int]) -> None:
    """Raises InspectionError for a token that the network does not have."""
    for token_id in token_ids:
        if not 0 <= token_id < model.vocab_size:
            raise InspectionError(no_such_token(token_id, model.vocab_size))


@dataclass(frozen=True)
class Question:
    """One step of one output, by ids.

    What is explained is F = log p(token | prefix, source), in nats; with a rival F = log p(token) -
    log p(rival), which says why this one rather than that one (Yin and Neubig 2022).
    """

    source: tuple[int, ...]  # S, the end token included; of a picture its pixels
    prefix: tuple[int, ...]  # T, the start token first, then what was written before the token
    token: int
    rival: int | None = None
    replacement: int = 0  # what stands where a token is taken out: the unknown or the padding token


class Inquiry:
    """A question on its network's device, and F for any vectors in place of its tokens' own.

    Raises InspectionError if the network does not have these tokens.
    """

    def __init__(self, model: Seq2SeqModel, question: Question) -> None:
        self.model, self.question = reader_of_vectors(model), question
        device = next(model.parameters()).device
        self.source = torch.tensor([question.source], device=device)  # (1, S)
        self.prefix = self.tokens(question.prefix)  # (1, T)
        explained = (question.token, *(() if question.rival is None else (question.rival,)))
        self.tokens(explained)
        for token_id in explained:
            if token_id in model.never_ids:  # it has no probability to explain
                raise InspectionError(never_written(token_id))

    def tokens(self, ids: Sequence[int]) -> Tensor:
        """Of the target, (1, N). Raises InspectionError for what the network cannot have written."""
        check_tokens(self.model, ids)
        return torch.tensor([list(ids)], device=self.source.device)

    @cached_property
    def mask(self) -> Tensor:
        """(1, S) bool, all True."""
        return torch.ones_like(self.source, dtype=torch.bool)

    @cached_property
    def vectors(self) -> tuple[Tensor, Tensor]:
        """Source (1, S, E) and prefix (1, T, E), free of the network's gradients."""
        with torch.no_grad():
            return self.model.embed_source(self.source), self.model.embed_target(self.prefix)

    @cached_property
    def places(self) -> Tensor:
        """(P, S) bool: which vectors lie at each of the source's places, its tokens or a picture's cells."""
        of_each = self.model.places(self.source)
        return of_each == torch.arange(int(of_each.max()) + 1, device=of_each.device).unsqueeze(1)

    @cached_property
    def value(self) -> float:
        """F as the network has it."""
        with torch.no_grad():
            return float(self.of(*self.vectors))

    @cached_property
    def rows_at_once(self) -> int:
        """How many rows of vectors one pass may have, so that it fits into the budget."""
        return rows_within(self.model.pass_bytes(self.source.shape[1], self.prefix.shape[1]), MOST_ROWS)

    def of(self, source: Tensor, prefix: Tensor) -> Tensor:
        """F of N rows of vectors: source (N, S, E), prefix (N, T, E) -> (N,). Differentiable."""
        mask = self.mask.expand(len(source), -1)
        return self.after(self.model.encode_vectors(source, mask), prefix)

    def after(self, encoded: EncoderOutput, prefix: Tensor) -> Tensor:
        """F of N encoded sources and prefixes (N, T, E) -> (N,)."""
        return self.of_features(self.model.last_feature(prefix, encoded))

    def of_features(self, features: Tensor) -> Tensor:
        """F of what the output layer sees at the asked step: (N, D) -> (N,)."""
        rest()
        log_probs = self.model.log_probs(self.model.project(features))
        own = log_probs[:, self.question.token]
        return own if self.question.rival is None else own - log_probs[:, self.question.rival]

    def gradients(self, source: Tensor, prefix: Tensor) -> tuple[Tensor, Tensor]:
        """dF of each row to its vectors, in the shapes of these. Raises InspectionError."""
        self.check_gradients()
        parts = zip(source.split(self.rows_at_once), prefix.split(self.rows_at_once), strict=True)
        by_source, by_prefix = zip(*(self._gradients(*part) for part in parts), strict=True)
        return torch.cat(by_source), torch.cat(by_prefix)

    def _gradients(self, source: Tensor, prefix: Tensor) -> tuple[Tensor, ...]:
        with torch.inference_mode(False), torch.enable_grad(), recurrent_gradients:
            leaves = source.detach().clone().requires_grad_(), prefix.detach().clone().requires_grad_()
            # A token of another row changes nothing here, so one sum has every row's gradient.
            return torch.autograd.grad(self.of(*leaves).sum(), leaves)

    def check_gradients(self) -> None:
        """Raises InspectionError if the network has none."""
        if not has_gradients(self.model):
            raise InspectionError(
                "no_gradients",
                "Weights of 8 bits have no gradients. Choose the checkpoint with its full weights.",
            )

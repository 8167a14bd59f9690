"""Questions to a network: why it predicts one token at a step, and not another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from models.budget import let_others_run, rows_within
from models.decoding.limits import never_written, no_such_token
from models.device import recurrent_gradients
from models.errors import UnrolledError
from models.networks.base import EmbeddingModel, EncoderOutput, Seq2SeqModel
from models.networks.packed import has_gradients

MAX_PASS_ROWS = 64


class InspectionError(UnrolledError, ValueError):
    """A question that a network cannot answer."""


def reader_of_vectors(model: Seq2SeqModel) -> EmbeddingModel:
    """Return the network if it is an `EmbeddingModel`. Raises InspectionError for other networks."""
    if isinstance(model, EmbeddingModel):
        return model
    raise InspectionError(
        "no_vectors_to_inspect",
        "This network does not read its tokens as vectors, so nothing can say what each contributes.",
    )


def check_tokens(model: Seq2SeqModel, token_ids: Iterable[int]) -> None:
    """Raise InspectionError for a token that is not in the network's vocabulary."""
    for token_id in token_ids:
        if not 0 <= token_id < model.vocab_size:
            raise InspectionError(no_such_token(token_id, model.vocab_size))


@dataclass(frozen=True)
class Question:
    """A prediction of one step of one output, by ids.

    The explained value F is log p(token | prefix, source), in nats. With a rival it is log p(token) -
    log p(rival): why the network predicts this token rather than that one (Yin and Neubig 2022).
    """

    source: tuple[int, ...]  # S, the end token included; a picture's pixels
    prefix: tuple[int, ...]  # T, the start token first, then the tokens before the explained one
    token: int
    rival: int | None = None
    replacement: int = 0  # the token that replaces a removed one: unknown or padding


class ExplainedPrediction:
    """A question put to a network: tensors on the network's device, and the explained value of any vectors.

    Raises InspectionError for tokens that are not in the network's vocabulary.
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
        """Target ids as a tensor (1, N). Raises InspectionError for ids outside the vocabulary."""
        check_tokens(self.model, ids)
        return torch.tensor([list(ids)], device=self.source.device)

    @cached_property
    def mask(self) -> Tensor:
        """The source mask (1, S) bool, all True."""
        return torch.ones_like(self.source, dtype=torch.bool)

    @cached_property
    def vectors(self) -> tuple[Tensor, Tensor]:
        """Source (1, S, E) and prefix (1, T, E) embeddings, without gradients."""
        with torch.no_grad():
            return self.model.embed_source(self.source), self.model.embed_target(self.prefix)

    @cached_property
    def places(self) -> Tensor:
        """The vectors of each place of the source, a token or a picture's cell: (P, S) bool."""
        place_of_vector = self.model.places(self.source)
        return place_of_vector == torch.arange(
            int(place_of_vector.max()) + 1, device=place_of_vector.device
        ).unsqueeze(1)

    @cached_property
    def value(self) -> float:
        """The explained value of the question itself."""
        with torch.no_grad():
            return float(self.value_of_vectors(*self.vectors))

    @cached_property
    def rows_at_once(self) -> int:
        """Number of rows of vectors that fit into the memory budget of one pass."""
        return rows_within(self.model.pass_bytes(self.source.shape[1], self.prefix.shape[1]), MAX_PASS_ROWS)

    def value_of_vectors(self, source: Tensor, prefix: Tensor) -> Tensor:
        """The explained value of N rows of vectors, differentiable.

        source (N, S, E), prefix (N, T, E) -> (N,).
        """
        mask = self.mask.expand(len(source), -1)
        return self.value_of_encoded(self.model.encode_vectors(source, mask), prefix)

    def value_of_encoded(self, encoded: EncoderOutput, prefix: Tensor) -> Tensor:
        """The explained value of N encoded sources and prefixes (N, T, E) -> (N,)."""
        return self.value_of_features(self.model.last_feature(prefix, encoded))

    def value_of_features(self, features: Tensor) -> Tensor:
        """The explained value of the output layer's inputs at the explained step: (N, D) -> (N,)."""
        let_others_run()
        log_probs = self.model.log_probs(self.model.project(features))
        values = log_probs[:, self.question.token]
        return values if self.question.rival is None else values - log_probs[:, self.question.rival]

    def gradients(self, source: Tensor, prefix: Tensor) -> tuple[Tensor, Tensor]:
        """The gradient of each row's explained value with respect to its vectors. Raises InspectionError."""
        self.check_gradients()
        parts = zip(source.split(self.rows_at_once), prefix.split(self.rows_at_once), strict=True)
        by_source, by_prefix = zip(*(self._gradients(*part) for part in parts), strict=True)
        return torch.cat(by_source), torch.cat(by_prefix)

    def _gradients(self, source: Tensor, prefix: Tensor) -> tuple[Tensor, ...]:
        with torch.inference_mode(False), torch.enable_grad(), recurrent_gradients:
            leaves = source.detach().clone().requires_grad_(), prefix.detach().clone().requires_grad_()
            # Rows are independent, so the gradient of their sum holds the gradient of each.
            return torch.autograd.grad(self.value_of_vectors(*leaves).sum(), leaves)

    def check_gradients(self) -> None:
        """Raise InspectionError if the network has no gradients."""
        if not has_gradients(self.model):
            raise InspectionError(
                "no_gradients",
                "Weights of 8 bits have no gradients. Choose the checkpoint with its full weights.",
            )

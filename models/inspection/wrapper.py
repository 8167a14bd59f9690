"""A wrapper that changes a part of a network's forward pass and leaves the network untouched."""

from __future__ import annotations

from typing import Generic, TypeVar

import torch
from torch import Tensor

from models.batch import Batch
from models.networks.base import DecoderState, EncoderOutput, Seq2SeqModel, StepOutput

Network = TypeVar("Network", bound=Seq2SeqModel)


class WrappedModel(Seq2SeqModel, Generic[Network]):
    """A network that delegates to another one; subclasses override what they change."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network
        self.vocab_size, self.max_positions = network.vocab_size, network.max_positions
        self.attention_shape, self.never_ids = network.attention_shape, network.never_ids

    def encode(self, src: Tensor, src_mask: Tensor) -> EncoderOutput:
        return self.network.encode(src, src_mask)

    def initial_state(self, encoded: EncoderOutput) -> DecoderState:
        return self.network.initial_state(encoded)

    def step(self, tokens: Tensor, state: DecoderState, override: Tensor | None = None) -> StepOutput:
        return self.network.step(tokens, state, override)

    def features(self, batch: Batch) -> Tensor:
        """Compute the features step by step, since subclasses override `step`."""
        state = self.initial_state(self.encode(batch.src, batch.src_mask))
        hidden = []
        for tokens in batch.tgt_in.unbind(1):
            output = self.step(tokens, state)
            state = output.state
            hidden.append(output.hidden)
        return torch.stack(hidden, dim=1)

    def pass_bytes(self, source: int, target: int) -> int:
        return self.network.pass_bytes(source, target)

    def project(self, features: Tensor) -> Tensor:
        return self.network.project(features)

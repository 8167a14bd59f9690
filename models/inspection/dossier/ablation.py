"""A network without one part: a head of cross-attention with weights 0, or a unit with value 0."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeAlias

import torch
from torch import Tensor

from models.batch import Batch
from models.inspection.question import InspectionError
from models.inspection.wrapper import WrappedModel
from models.networks.base import DecoderState, Seq2SeqModel, StepOutput


@dataclass(frozen=True)
class HeadIndex:
    """A head of the decoder's attention to the source, from 0."""

    layer: int
    head: int


@dataclass(frozen=True)
class UnitIndex:
    """One of the D inputs of the output layer, from 0."""

    unit: int


NetworkPart: TypeAlias = HeadIndex | UnitIndex


def check_part(model: Seq2SeqModel, part: NetworkPart, width: int) -> None:
    """Raise InspectionError unless the network has the part; `width` is that of its features."""
    if isinstance(part, UnitIndex):
        if not 0 <= part.unit < width:
            raise InspectionError(
                "no_such_output_unit",
                "There is no unit {unit}: the output layer of this network reads {count}.",
                unit=part.unit + 1,
                count=width,
            )
        return
    if model.attention_shape is None:
        raise InspectionError("no_heads", "This network has no attention, so no head of it can be taken out.")
    layers, heads = model.attention_shape
    if not (0 <= part.layer < layers and 0 <= part.head < heads):
        raise InspectionError(
            "no_such_head",
            "There is no head {head} in layer {layer}: layers are {layers}, each of {heads}.",
            head=part.head + 1,
            layer=part.layer + 1,
            layers=layers,
            heads=heads,
        )


class Without(WrappedModel[Seq2SeqModel]):
    """A network without one part; the wrapped network is not changed."""

    def __init__(self, network: Seq2SeqModel, part: NetworkPart) -> None:
        super().__init__(network)
        self._part = part

    def step(self, tokens: Tensor, state: DecoderState, override: Tensor | None = None) -> StepOutput:
        """Step without the part; the removal of a head takes precedence over `override`."""
        if isinstance(self._part, HeadIndex):
            return self.network.step(tokens, state, self._masked_head(self._part, override, tokens))
        output = self.network.step(tokens, state, override)
        hidden = self._masked_unit(self._part, output.hidden)
        return replace(output, hidden=hidden, logits=self.network.project(hidden))

    def features(self, batch: Batch) -> Tensor:
        """The features without the part; a head can only be removed step by step."""
        if isinstance(self._part, UnitIndex):
            return self._masked_unit(self._part, self.network.features(batch))
        return super().features(batch)

    def _masked_head(self, part: HeadIndex, override: Tensor | None, tokens: Tensor) -> Tensor:
        assert self.attention_shape is not None
        layers, heads = self.attention_shape
        removed = torch.zeros(1, layers, heads, 1, dtype=torch.bool, device=tokens.device)
        removed[:, part.layer, part.head] = True
        before = torch.full((), math.nan, device=tokens.device) if override is None else override
        return torch.where(removed, 0.0, before)

    def _masked_unit(self, part: UnitIndex, features: Tensor) -> Tensor:
        units = torch.arange(features.shape[-1], device=features.device)
        return features.masked_fill(units == part.unit, 0.0)
